// SPDX-License-Identifier: Apache-2.0
// What the system is, and whether the motion can be trusted, in plain words.
import { fill, h, show } from "../dom";
import { Cancelled, EngineClient, type Table } from "../engine/client";
import { Samples, type Motion } from "../motion";
import type { Session } from "../session";
import type { CheckReport, CompareReport, Diagnostic, LinearizeReport } from "../types";

const SECONDS = 20;

export class Facts {
  readonly element = h("section", { class: "facts", "aria-label": "facts" });
  private readonly system = h("div");
  private readonly trust = h("div");
  private readonly linear = h("div");
  private readonly compared = h("div");
  private readonly engine: EngineClient;

  constructor(private readonly session: Session, bytes: Promise<ArrayBuffer>) {
    this.engine = new EngineClient(bytes);
    const eigenvalues = h("button", { onclick: () => void this.linearize() }, "eigenvalues at the start");
    const compare = h("button", { onclick: () => void this.compare() }, "compare all formulations");
    fill(this.element, this.trust, this.system, h("p", { class: "buttons" }, eigenvalues, compare), this.linear, this.compared);
    session.on("about", (about) => about.model && this.showSystem(about));
    session.on("changes", () => this.forget());
    session.on("motion", (motion) => this.showTrust(motion));
    session.on("diagnostics", () => session.stale && fill(this.trust, h("p", { class: "error" }, "The text or the numbers as they are now have no motion; what is shown is the one before.")));
  }

  // ---------------------------------------------------------------- the system

  private showSystem(about: CheckReport): void {
    if (!about.model) return fill(this.system);
    const { coordinates, speeds, constraints, bodies, rank, redundant, degrees_of_freedom: freedoms, mass_matrix: mass, events } = about;
    const nonholonomic = constraints.filter((c) => c.kind !== "holonomic" && c.kind !== "norm");
    const moved = about.start_change?.moved ?? [];
    fill(this.system, h("h3", {}, "The system"), table([
      ["coordinates", `${coordinates.length}: ${coordinates.join(", ")}`],
      speeds.length && ["speeds", speeds.join(", ")],
      bodies.length && ["bodies", bodies.map((b) => `${b.name} (${b.joint} on ${b.parent})`).join(", ")],
      ["constraints", constraints.length ? constraints.map((c) => `${c.name} (${c.kind})`).join(", ") : "none"],
      ["nonholonomic", nonholonomic.length ? `${nonholonomic.length} of them are about velocities` : "none"],
      rank !== null && ["independent", `${rank}${redundant?.length ? `; redundant: ${redundant.join(", ")}` : ""}`],
      freedoms !== null && ["degrees of freedom", String(freedoms)],
      mass && ["mass matrix", `rank ${mass.rank}${mass.singular ? ", singular" : ""}`],
      events.length && ["events", events.map((e) => `when ${e.when}{ ${e.actions.join("; ")} }`).join("\n")],
      moved.length && ["start corrected", moved.map((m) => `${m.name}: ${show(m.from)} → ${show(m.to)} ${m.unit}`).join(", ")],
    ]));
  }

  // ---------------------------------------------------------------- the motion

  private showTrust({ result }: Motion): void {
    const { violation, energy, events, samples } = result, most = violation ? Math.max(violation.position, violation.velocity) : 0;
    const relative = energy ? Math.abs(energy.drift)/energyScale(samples!) : 0;
    fill(this.trust, h("h3", {}, "The motion"), table([
      ["end", `${result.end ?? ""}${result.t_end === null ? "" : ` at t = ${show(result.t_end)} s`}`],
      ["constraints", verdict(most, 1e-9, 1e-6, `kept to ${power(most)}`, `missed by up to ${show(most, 2)}`)],
      energy && ["energy", verdict(relative, 1e-6, 1e-2, `in balance to ${power(relative)} of it`, `out of balance by ${show(100*relative, 2)} %: take a smaller step or tolerance`)],
      ["by", `${result.method}, ${result.formulation}: ${result.steps} steps in ${show(result.milliseconds, 3)} ms`],
      result.stiff && ["stiff", `too stiff for the default method: by ${result.stiff.method} from t = ${show(result.stiff.from)} s on`],
      events.length && ["events", events.slice(0, 20).map((e) => `t = ${show(e.t)} s: ${e.actions.join("; ")}`).join("\n")],
    ]));
  }

  // ---------------------------------------------------------------- on request

  private async linearize(): Promise<void> {
    await this.ask<LinearizeReport>(this.linear, "linearize", ({ points, diagnostics }) => {
      const point = points?.[0];
      if (!point) return problems(diagnostics);
      const rows = point.eigenvalues.map(({ re, im }) => h("tr", {}, h("td", {}, show(re)), h("td", {}, im ? `${im < 0 ? "−" : "+"} ${show(Math.abs(im))} i` : "")));
      return [h("h3", {}, "Eigenvalues at the start [1/s]"), h("table", { class: "numbers" }, h("tbody", {}, ...rows)),
        point.motion === "changing" && h("p", { class: "quiet" }, "The start is not a steady motion: they tell how neighbouring motions part at this moment.")];
    });
  }

  private async compare(): Promise<void> {
    await this.ask<CompareReport>(this.compared, "compare", ({ rows, diagnostics }) => {
      if (!rows?.length) return problems(diagnostics);
      return [h("h3", {}, "Formulations"), h("table", { class: "numbers" }, h("thead", {}, h("tr", {}, ...["", "accelerations differ by", "motions differ by"].map((t) => h("th", {}, t)))),
        h("tbody", {}, ...rows.map((r) => h("tr", { title: r.why_not ?? "" }, h("td", {}, r.formulation), h("td", {}, r.applicable ? power(r.max_difference) : "does not apply"),
          h("td", {}, r.applicable ? power(r.run_difference) : "")))))];
    });
  }

  /** Answers belong to the text and the numbers they were asked with. */
  private forget(): void {
    this.engine.stop();
    fill(this.linear);
    fill(this.compared);
  }

  private async ask<T>(place: HTMLElement, task: string, make: (answer: T) => (Node | string | false | null)[]): Promise<void> {
    fill(place, h("p", { class: "quiet" }, "computing …"));
    try {
      fill(place, ...make(await this.engine.ask<T>(task, this.session.text, this.session.startOptions(), { seconds: SECONDS })));
    } catch (error) {
      if (!(error instanceof Cancelled)) fill(place, h("p", { class: "error" }, (error as Error).message));
    }
  }
}

/** The largest kinetic energy and the largest change of the potential one: the zero of energy is arbitrary. */
function energyScale(table: Table): number {
  const samples = new Samples("", table), range = (name: string) => {
    const list = samples.column(name) ?? new Float64Array(1);
    return list.reduce((most, v) => Math.max(most, v), -Infinity) - (name === "kinetic" ? 0 : list.reduce((least, v) => Math.min(least, v), Infinity));
  };
  return Math.max(range("kinetic"), range("potential"), 1e-300);
}

type Row = [string, string | Node] | false | 0 | null | undefined;

function table(rows: Row[]): HTMLElement {
  return h("dl", {}, ...rows.filter((row): row is [string, string | Node] => Boolean(row)).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** Rounding is no number to read: its power of ten is. */
function power(value: number | null): string {
  if (value === null) return "";
  return value === 0 ? "the last digit" : value < 1e-3 ? `1e${Math.ceil(Math.log10(value))}` : show(value, 2);
}

function verdict(value: number, good: number, bad: number, well: string, badly: string): HTMLElement {
  const mark = value <= good ? "good" : value <= bad ? "fair" : "bad";
  return h("span", { class: mark }, value <= bad ? well : badly);
}

function problems(diagnostics: Diagnostic[]): Node[] {
  return diagnostics.map((d) => h("p", { class: d.severity }, d.message, d.hint && h("small", {}, d.hint)));
}
