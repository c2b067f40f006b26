// SPDX-License-Identifier: Apache-2.0
// Curves linked to the motion: over time (uPlot) or one quantity over another (plane.ts). The cursor is the time that is shown.
import uPlot from "uplot";
import { download, fill, h, show, withUnit } from "../dom";
import type { Motion, Samples } from "../motion";
import type { Session } from "../session";
import { csv } from "../out/csv";
import { Plane, type Path } from "./plane";

const COLORS = ["#3b6fc4", "#d1762b", "#3f8f6b", "#b5485d", "#7a5fb0", "#2a8c9a", "#9a8420"];
const LEAST = 170, LARGEST = 330; // of a picture, in pixels
const MOST = 7; // curves in one picture

/** Quantities by their labels, "x [m]". */
interface Wish {
  against: string | null;
  quantities: string[];
}

/** A picture with the things to change it. */
class Chart {
  readonly element = h("figure", { class: "chart" });
  private readonly place = h("div", { class: "plot" });
  private plot: uPlot | null = null;
  private plane: Plane | null = null;
  private moving = false;
  private values: [string, HTMLElement][] = []; // what is shown of each quantity at this time

  constructor(private readonly session: Session, private readonly curves: Curves, readonly wish: Wish) {}

  private get present(): string[] {
    const { samples } = this.session.motion!;
    return this.wish.quantities.filter((name) => samples.column(name));
  }

  build(): void {
    const motion = this.session.motion!;
    fill(this.element, this.controls(motion), this.place);
    this.refresh();
  }

  // ---------------------------------------------------------------- what is shown

  private controls({ samples }: Motion): HTMLElement {
    const names = samples.labels.slice(1);
    const add = h("select", { "aria-label": "add a quantity", title: "add a quantity" }, h("option", { value: "" }, "+ quantity"),
      ...names.filter((name) => !this.wish.quantities.includes(name)).map((name) => h("option", { value: name }, name)));
    const against = h("select", { "aria-label": "over", title: "what the curves are drawn over" }, h("option", { value: "" }, "over time"),
      ...names.map((name) => h("option", { value: name, selected: name === this.wish.against }, `over ${name}`)));
    add.addEventListener("change", () => {
      if (add.value) this.wish.quantities.push(add.value);
      this.build();
    });
    against.addEventListener("change", () => {
      this.wish.against = against.value || null;
      this.build();
    });
    this.values = [];
    const chips = this.wish.quantities.map((name, i) => this.chip(name, i, samples));
    const remove = h("button", { class: "flat", title: "remove this picture", "aria-label": "remove this picture", onclick: () => this.curves.remove(this) }, "✕");
    return h("figcaption", {}, ...chips, this.wish.quantities.length < MOST && add, against, remove);
  }

  private chip(name: string, i: number, samples: Samples): HTMLElement {
    const known = samples.column(name) !== null, value = h("output", { "data-value": name });
    this.values.push([name, value]);
    const chip = h("button", { class: known ? "chip" : "chip absent", title: known ? "remove this curve" : "this run has no such quantity" }, name, " ", value);
    chip.style.setProperty("--color", COLORS[i%COLORS.length]!);
    chip.addEventListener("click", () => {
      this.wish.quantities.splice(i, 1);
      this.build();
    });
    return chip;
  }

  // ---------------------------------------------------------------- drawing

  /** This run, then the one before, then the files. */
  private sources(): { samples: Samples; dashed: boolean }[] {
    const { motion, ghost } = this.session, list = [{ samples: motion!.samples, dashed: false }];
    if (ghost && ghost !== motion) list.push({ samples: ghost.samples, dashed: true });
    for (const samples of this.curves.tracks) list.push({ samples, dashed: true });
    return list;
  }

  refresh(): void {
    this.plot?.destroy();
    this.plot = this.plane = null;
    const { against } = this.wish, { samples } = this.session.motion!;
    if (!this.present.length) return fill(this.place, h("p", { class: "quiet" }, "Choose a quantity."));
    if (against && samples.column(against)) this.drawPlane(against);
    else this.drawTime();
    this.follow(this.session.time);
  }

  private drawPlane(against: string): void {
    const paths: Path[] = [];
    this.present.forEach((name, i) => {
      for (const source of this.sources()) {
        const x = source.samples.column(against), y = source.samples.column(name);
        if (x && y) paths.push({ x, y, color: COLORS[i%COLORS.length]!, dashed: source.dashed });
      }
    });
    this.plane = new Plane(against, this.present.join(", "), this.session.motion!.samples.unit(against) === this.session.motion!.samples.unit(this.present[0]!));
    this.plane.set(paths, this.width(), Math.round(1.3*this.curves.height()));
    fill(this.place, this.plane.canvas);
  }

  private width(): number {
    return Math.max(220, this.element.clientWidth - 16);
  }

  private drawTime(): void {
    const tables: uPlot.AlignedData[] = [], series: uPlot.Series[] = [{ label: "t [s]" }], style = getComputedStyle(document.documentElement);
    this.present.forEach((name, i) => {
      this.sources().forEach(({ samples, dashed }, k) => {
        const list = samples.column(name);
        if (!list) return;
        tables.push([samples.time, drawable(list)]);
        series.push({
          label: name, stroke: COLORS[i%COLORS.length], width: dashed ? 1.2 : 1.7, points: { show: false },
          dash: dashed ? [4 + 2*k, 4] : undefined, alpha: dashed ? 0.75 : 1,
        });
      });
    });
    const axis = { stroke: style.getPropertyValue("--ink"), grid: { stroke: style.getPropertyValue("--line"), width: 1 }, ticks: { stroke: style.getPropertyValue("--line"), width: 1 } };
    fill(this.place);
    this.plot = new uPlot({
      width: this.width(), height: this.curves.height(), pxAlign: 0, series, legend: { show: false }, scales: { x: { time: false }, y: { range: (_u, low, high) => spread(low, high) } },
      axes: [{ ...axis, size: 30, label: "t [s]", labelSize: 16, labelGap: 0, labelFont: "12px system-ui, sans-serif" }, { ...axis, size: 62, values: (_u, ticks) => ticks.map((v) => show(v, 5)) }],
      cursor: { drag: { x: true, y: false }, y: false },
      hooks: { setCursor: [() => this.point()], draw: [() => this.follow(this.session.time)] },
    }, tables.length > 1 ? joined(tables) : tables[0]!, this.place);
    this.plot.over.addEventListener("mousedown", () => { this.moving = true; });
    this.plot.over.addEventListener("click", () => this.pick());
  }

  private point(): void {
    if (this.moving) this.session.play(false);
    this.moving = false;
  }

  /** A click is a time. */
  private pick(): void {
    const u = this.plot!, left = u.cursor.left ?? -1;
    if (left >= 0 && !(u.select.width > 2)) this.session.seek(u.posToVal(left, "x"));
  }

  /** The cursor of a plot over time is a line of our own: the one of uPlot belongs to the mouse. */
  follow(t: number): void {
    const motion = this.session.motion!;
    for (const [name, place] of this.values) place.textContent = show(motion.samples.value(name, t), 4);
    if (this.plane) {
      const { against } = this.wish, { samples } = motion;
      this.plane.draw(this.present.map((name, i) => [samples.value(against!, t), samples.value(name, t), COLORS[i%COLORS.length]!]));
    }
    if (!this.plot) return;
    const over = this.plot.over, line = (over.querySelector(".now") ?? over.appendChild(h("div", { class: "now" }))) as HTMLElement;
    const x = this.plot.valToPos(t, "x");
    line.hidden = !(x >= 0 && x <= over.clientWidth);
    line.style.transform = `translateX(${x}px)`;
  }
}

/** Gaps where a number cannot be drawn. */
function drawable(list: Float64Array): Float64Array | (number | null)[] {
  const good = (v: number) => Math.abs(v) < 1e100;
  return list.every(good) ? list : Array.from(list, (v) => (good(v) ? v : null));
}

/** Some room around the curves; rounding about a constant is no curve. */
function spread(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const most = Math.max(Math.abs(low), Math.abs(high));
  if (high - low < 1e-7*most || most < 1e-14) return [low - (0.1*most || 1), high + (0.1*most || 1)];
  return [low - 0.06*(high - low), high + 0.06*(high - low)];
}

/** Runs with different times in one table. */
function joined(tables: uPlot.AlignedData[]): uPlot.AlignedData {
  const first = tables[0]![0];
  if (tables.every(([time]) => time === first)) return [first, ...tables.map((table) => table[1]!)];
  return uPlot.join(tables);
}

export class Curves {
  readonly element = h("section", { class: "curves", "aria-label": "curves" });
  private others: Samples[] = [];
  private charts: Chart[] = [];
  private readonly list = h("div", { class: "charts" });
  private readonly legend = h("p", { class: "quiet legend", hidden: true });
  private signature = "";

  constructor(private readonly session: Session) {
    const add = h("button", { onclick: () => this.add({ against: null, quantities: [] }) }, "+ picture");
    const save = h("button", { title: "the samples as a table, as pfaff run --out writes them", onclick: () => this.save() }, "CSV");
    fill(this.element, this.list, this.legend, h("footer", {}, add, save, h("span", { class: "quiet" }, "Click: that time. Drag: zoom. Double click: everything.")));
    session.on("motion", (motion) => this.take(motion));
    session.on("time", (t) => session.motion && this.charts.forEach((chart) => chart.follow(t)));
    let width = 0;
    new ResizeObserver(() => {
      if (this.list.clientWidth === width) return;
      width = this.list.clientWidth;
      this.refresh();
    }).observe(this.list);
  }

  /** Trajectories that came with the page. */
  get tracks(): Samples[] {
    return this.others;
  }

  set tracks(list: Samples[]) {
    this.others = list;
    this.legend.hidden = !list.length;
    this.legend.textContent = `dashed: ${list.map(({ name }) => name).join(", ")}`;
  }

  private take({ samples }: Motion): void {
    const signature = `${this.session.file}\n${samples.labels.join("\n")}`;
    if (signature === this.signature) return this.refresh();
    this.signature = signature;
    this.charts = this.wishes(samples).map((wish) => new Chart(this.session, this, wish));
    fill(this.list, ...this.charts.map((chart) => chart.element));
    this.charts.forEach((chart) => chart.build());
  }

  /** What the model plots, or its coordinates by their units. */
  private wishes(samples: Samples): Wish[] {
    const { about } = this.session, label = (name: string, unit = "") => samples.label(withUnit(name, unit)) ?? samples.label(name);
    const asked = (about?.plots ?? []).map(({ quantities, units, against }) => ({
      quantities: quantities.map((name, i) => label(name, units[i])).filter((name) => name !== null), against: against === null ? null : label(against),
    })).filter(({ quantities }) => quantities.length);
    if (asked.length) return asked;
    const byUnit = new Map<string, string[]>();
    for (const name of about?.coordinates ?? []) if (label(name)) byUnit.set(samples.unit(name), [...(byUnit.get(samples.unit(name)) ?? []), label(name)!]);
    return [...byUnit.values()].slice(0, 3).map((quantities) => ({ quantities: quantities.slice(0, MOST), against: null }));
  }

  /** Of a picture: together they fill the panel. */
  height(): number {
    const room = this.element.clientHeight - 60, each = room/Math.max(1, this.charts.length) - 70;
    return Math.round(Math.min(LARGEST, Math.max(LEAST, each)));
  }

  private add(wish: Wish): void {
    const chart = new Chart(this.session, this, wish);
    this.charts.push(chart);
    this.list.append(chart.element);
    if (this.session.motion) chart.build();
  }

  remove(chart: Chart): void {
    this.charts = this.charts.filter((one) => one !== chart);
    chart.element.remove();
  }

  refresh(): void {
    if (this.session.motion && this.element.isConnected && this.list.clientWidth) this.charts.forEach((chart) => chart.refresh());
  }

  private save(): void {
    const { motion, file, stale } = this.session;
    if (motion && !stale) download(file.replace(/\.pf$/, "") + ".csv", csv(motion.samples.table), "text/csv");
  }
}
