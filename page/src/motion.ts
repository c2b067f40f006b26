// SPDX-License-Identifier: Apache-2.0
// A motion: samples over time, and where everything is at them.
import { withUnit } from "./dom";
import type { RunResult, Table } from "./engine/client";
import type { DrawReport } from "./types";

const OF_POSE = 12; // numbers: origin, then the rotation matrix by rows

/** Last sample not after t; at an event there are two with the same time, and the second holds. */
export function before(time: Float64Array, t: number): number {
  let low = 0, high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Samples {
  readonly time: Float64Array;
  /** Quantities as "x [m]": a quantity may be there in two units. */
  readonly labels: string[];
  private readonly cache = new Map<string, Float64Array>();

  constructor(readonly name: string, readonly table: Table) {
    this.labels = table.columns.map((name, j) => withUnit(name, table.units[j] ?? ""));
    this.time = this.column(table.columns[0] ?? "t") ?? new Float64Array(0);
  }

  get rows(): number {
    return this.table.rows;
  }

  get begin(): number {
    return this.time[0] ?? 0;
  }

  get end(): number {
    return this.time[this.rows - 1] ?? 0;
  }

  /** Number of the column with this label, or else with this name. */
  private find(name: string): number {
    const j = this.labels.indexOf(name);
    return j >= 0 ? j : this.table.columns.indexOf(name);
  }

  /** The label of a quantity; null when there is none. */
  label(name: string): string | null {
    return this.labels[this.find(name)] ?? null;
  }

  /** The numbers of a quantity, by its label or name, or null. */
  column(name: string): Float64Array | null {
    const j = this.find(name), { data, rows, columns } = this.table;
    if (j < 0) return null;
    let list = this.cache.get(name);
    if (!list) {
      list = new Float64Array(rows);
      for (let i = 0; i < rows; i++) list[i] = data[i*columns.length + j]!;
      this.cache.set(name, list);
    }
    return list;
  }

  unit(name: string): string {
    return this.table.units[this.find(name)] ?? "";
  }

  /** The value at any time within, linear between samples. */
  value(name: string, t: number): number {
    const list = this.column(name);
    if (!list || !this.rows) return NaN;
    const i = before(this.time, t), j = Math.min(i + 1, this.rows - 1), span = this.time[j]! - this.time[i]!;
    return span > 0 && t > this.time[i]! ? list[i]! + (list[j]! - list[i]!)*Math.min(1, (t - this.time[i]!)/span) : list[i]!;
  }
}

/** Rows of numbers that place the shapes of a scene: 12 for each pose, 3 for each point. */
export class Frames {
  constructor(readonly time: Float64Array, private readonly data: Float64Array | Float32Array, private readonly width: number, private readonly first: number,
    private readonly scene: DrawReport) {}

  static of(poses: Table, scene: DrawReport): Frames | null {
    const width = poses.columns.length, need = 1 + OF_POSE*scene.poses.length + 3*scene.points.length;
    if (width !== need || !poses.rows) return null;
    const time = new Float64Array(poses.rows);
    for (let i = 0; i < poses.rows; i++) time[i] = poses.data[i*width]!;
    return new Frames(time, poses.data, width, 1, scene);
  }

  /** The start alone. */
  static still(scene: DrawReport): Frames {
    return new Frames(Float64Array.from(scene.times), Float64Array.from(scene.motion[0] ?? []), 0, 0, scene);
  }

  get rows(): number {
    return this.time.length;
  }

  /** Samples around t and how far t is between them; across an event nothing is interpolated. */
  between(t: number): [number, number, number] {
    const i = before(this.time, t), j = Math.min(i + 1, this.rows - 1), span = this.time[j]! - this.time[i]!;
    return [i, j, span > 0 ? Math.min(1, Math.max(0, (t - this.time[i]!)/span)) : 0];
  }

  /** Where the 12 numbers of a pose begin, in a row. */
  poseAt(row: number, pose: number): number {
    return row*this.width + this.first + OF_POSE*pose;
  }

  pointAt(row: number, point: number): number {
    return row*this.width + this.first + OF_POSE*this.scene.poses.length + 3*point;
  }

  number(at: number): number {
    return this.data[at]!;
  }

  point(point: number, t: number, out: [number, number, number]): void {
    const [i, j, part] = this.between(t), a = this.pointAt(i, point), b = this.pointAt(j, point);
    for (let k = 0; k < 3; k++) out[k] = this.data[a + k]! + part*(this.data[b + k]! - this.data[a + k]!);
  }
}

/** A run of the engine with its scene. */
export class Motion {
  readonly samples: Samples;
  readonly frames: Frames | null;

  constructor(readonly result: RunResult, readonly scene: DrawReport | null) {
    this.samples = new Samples("this run", result.samples!);
    this.frames = scene && result.poses ? Frames.of(result.poses, scene) : null;
  }

  get begin(): number {
    return this.samples.begin;
  }

  get end(): number {
    return this.samples.end;
  }
}
