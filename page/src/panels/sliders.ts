// SPDX-License-Identifier: Apache-2.0
// Parameters and starts that can be changed: a slider and a number each.
import { fill, h, show, withUnit } from "../dom";
import type { Changes, Session } from "../session";
import type { CheckReport, Value } from "../types";

const isAngle = (unit: string) => unit === "rad" || unit === "deg";

/** Masses, lengths, inertias and stiffnesses keep their sign. */
const keepsSign = (unit: string) => /kg|^(g|m|mm|cm|km)$|^N( m)?\/(m|rad)$/.test(unit);

/** A range in which the number makes sense; an angle goes once around. */
export function range({ kind, value, unit }: Value): [number, number] {
  const turn = unit === "deg" ? 180 : Math.PI;
  if (kind === "start" && isAngle(unit)) return [Math.min(-turn, 2*value), Math.max(turn, 2*value)];
  if (value === 0) return [-1, 1];
  if (kind === "start" || !keepsSign(unit)) return [-2*Math.abs(value), 2*Math.abs(value)];
  return value > 0 ? [0.1*value, 3*value] : [3*value, 0.1*value];
}

const groupOf = ({ kind }: Value): keyof Changes => (kind === "parameter" ? "param" : "state");

export class Sliders {
  readonly element = h("section", { class: "sliders", "aria-label": "numbers" });
  private readonly rows = new Map<string, (value: number | undefined) => void>();
  private readonly own = new Map<string, number>(); // what is shown where nothing is changed

  constructor(private readonly session: Session) {
    session.on("about", (about) => this.build(about));
    session.on("changes", (changes) => this.follow(changes));
    session.on("values", (values) => this.take(values));
  }

  private build({ values }: CheckReport): void {
    this.element.toggleAttribute("inert", !values && this.rows.size > 0); // after an error the numbers stay, at rest
    if (!values && this.rows.size) return;
    this.rows.clear();
    this.own.clear();
    if (!values) return fill(this.element, h("p", { class: "quiet" }, "Numbers can be changed here when the model has them."));
    const parameters = values.filter((v) => v.kind === "parameter"), starts = values.filter((v) => v.kind === "start");
    const given = starts.filter((v) => v.given), others = starts.filter((v) => !v.given);
    fill(this.element,
      h("header", {}, h("h2", {}, "Change a number"), h("button", { class: "flat", title: "all numbers as in the model", onclick: () => this.session.reset() }, "reset all")),
      this.group("Parameters", parameters, true), this.group("Start", given, true), this.group(given.length ? "Start, the rest" : "Start", others, false));
    this.follow(this.session.changes);
  }

  private group(title: string, values: Value[], open: boolean): HTMLElement | null {
    if (!values.length) return null;
    const rows = h("div", { class: "rows" }, ...values.map((value) => this.row(value)));
    rows.style.setProperty("--name", `${Math.min(16, Math.max(4, ...values.map(({ name }) => name.length)))}ch`);
    rows.style.setProperty("--unit", `${Math.min(9, Math.max(2, ...values.map(({ unit }) => unit.length)))}ch`);
    return h("details", { open: open && values.length <= 24 }, h("summary", {}, `${title} (${values.length})`), rows);
  }

  private row(value: Value): HTMLElement {
    const [low, high] = range(value), group = groupOf(value), { name, unit } = value;
    const slider = h("input", { type: "range", min: low, max: high, step: "any", value: value.value, "aria-label": name, "data-name": name });
    const number = h("input", { type: "number", step: "any", value: Number(show(value.value, 9)), "aria-label": withUnit(name, unit), "data-number": name });
    const reset = h("button", { class: "flat reset", title: "as in the model", "aria-label": `reset ${name}` }, "↺");
    const set = (to: number, settled: boolean) => Number.isFinite(to) && this.session.change(group, name, to, settled);
    slider.addEventListener("input", () => set(Number(slider.value), false));
    slider.addEventListener("change", () => set(Number(slider.value), true));
    number.addEventListener("change", () => (number.value === "" ? this.session.change(group, name, null, true) : set(Number(number.value), true)));
    reset.addEventListener("click", () => this.session.change(group, name, null, true));
    const row = h("label", { class: "row" }, h("span", { class: "name", title: withUnit(name, unit) }, name), slider, number, h("span", { class: "unit" }, unit), reset);
    this.rows.set(`${group} ${name}`, (changed) => {
      const now = changed ?? this.own.get(`${group} ${name}`) ?? value.value;
      row.classList.toggle("changed", changed !== undefined);
      slider.min = String(Math.min(low, now));
      slider.max = String(Math.max(high, now));
      if (document.activeElement !== slider) slider.value = String(now);
      if (document.activeElement !== number) number.value = String(Number(show(now, 9)));
    });
    return row;
  }

  private take(values: Value[]): void {
    for (const value of values) this.own.set(`${groupOf(value)} ${value.name}`, value.value);
    this.follow(this.session.changes);
  }

  private follow(changes: Changes): void {
    for (const [key, show_] of this.rows) {
      const [group, name] = [key.slice(0, key.indexOf(" ")) as keyof Changes, key.slice(key.indexOf(" ") + 1)];
      show_(changes[group][name]);
    }
  }
}
