// SPDX-License-Identifier: Apache-2.0
// The equations, typeset, in the form the reader chooses.
import katex from "katex";
import { fill, h } from "../dom";
import { Cancelled, EngineClient } from "../engine/client";
import type { Session } from "../session";
import type { DeriveReport } from "../types";

const FORMS: [string, string][] = [
  ["multipliers", "Lagrange, with multipliers"], ["rosenberg", "Rosenberg: embedded"], ["rosenberg_extended", "Rosenberg: embedded and decoupled"],
  ["udwadia_kalaba", "Udwadia-Kalaba: with constraint forces"],
  ["maggi", "Maggi: admissible directions"], ["laconic", "Tatarinov: laconic"],
  ["gibbs_appell", "Gibbs-Appell: energy of accelerations"], ["kane", "Kane: partial velocities"], ["chaplygin", "Chaplygin"], ["voronets", "Voronets"],
  ["boltzmann_hamel", "Boltzmann-Hamel: quasi-velocities"], ["hamilton", "Hamilton: canonical, with constraint forces"],
  ["hamel_wrong", "Hamel's warning: wrong, and what is missing"],
];
const SECONDS = 20;
const LONGEST = 6000; // of a formula that is typeset; longer ones are shown as text

export class Equations {
  readonly element = h("section", { class: "equations", "aria-label": "equations" });
  private readonly select = h("select", { "aria-label": "form of the equations", class: "form" }, ...FORMS.map(([name, title]) => h("option", { value: name }, title)));
  private readonly place = h("div", { class: "formulas" });
  private readonly engine: EngineClient;
  private shown = "";

  constructor(private readonly session: Session, bytes: Promise<ArrayBuffer>) {
    this.engine = new EngineClient(bytes);
    fill(this.element, h("header", {}, this.select), this.place);
    this.select.addEventListener("change", () => this.update());
    session.on("about", () => this.element.isConnected && !this.element.hidden && this.update());
  }

  /** When the panel comes to sight. */
  update(): void {
    const form = this.select.value, { text } = this.session, key = `${form}\n${text}`;
    if (key === this.shown) return;
    this.shown = key;
    const ready = text === this.session.data.text ? this.session.data.derived?.[form] : undefined;
    if (ready) return this.show(ready);
    fill(this.place, h("p", { class: "quiet" }, "deriving …"));
    this.engine.stop();
    this.engine.ask<DeriveReport>("derive", text, { form }, { seconds: SECONDS }).then((derived) => key === this.shown && this.show(derived), (error: Error) => {
      if (error instanceof Cancelled) return;
      fill(this.place, h("p", { class: "error" }, error.message));
    });
  }

  private show({ equations, where = [], holds_where_nonzero: nonzero = [], operations, diagnostics }: DeriveReport): void {
    if (!equations.length) return fill(this.place, ...diagnostics.map((d) => h("p", { class: d.severity }, d.message, d.hint && h("small", {}, d.hint))));
    fill(this.place,
      ...equations.map(({ name, latex, lhs, rhs }) => h("div", { class: "equation" }, h("span", { class: "label" }, name), formula(latex, `${lhs} = ${rhs}`))),
      where.length > 0 && h("h3", {}, "where"),
      ...where.map(({ name, value }) => h("div", { class: "equation" }, h("code", {}, `${name} = ${value}`))),
      nonzero.length > 0 && h("p", { class: "quiet" }, "Holds where these do not vanish: ", h("code", {}, nonzero.join(", "))),
      h("p", { class: "quiet" }, `${operations} operations for one evaluation`));
  }
}

/** A formula, typeset so that long ones break at their sums; the plain text where that cannot be done. */
export function formula(latex: string, text: string): HTMLElement {
  const place = h("div", { class: "formula", tabindex: 0 });
  if (latex.length > LONGEST) return fill(place, h("code", {}, text)), place;
  try {
    katex.render(`\\displaystyle ${latex}`, place, { throwOnError: true, trust: false, strict: "ignore", maxSize: 10, maxExpand: 100 });
  } catch {
    fill(place, h("code", {}, text));
  }
  return place;
}
