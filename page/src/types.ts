// SPDX-License-Identifier: Apache-2.0
// What the engine says (docs/commands.md, wasm/README.md) and what is in the page's data (docs/page.md).

export interface Diagnostic {
  severity: "error" | "warning" | "note";
  message: string;
  hint: string | null;
  file: string | null;
  line: number;
  column: number;
  length: number;
}

/** A number that --param or --state changes. */
export interface Value {
  name: string;
  kind: "parameter" | "start";
  value: number;
  unit: string;
  given: boolean;
}

export interface PlotWish {
  quantities: string[];
  units: string[];
  against: string | null;
}

export interface Constraint {
  name: string;
  kind: string;
  time_dependent: boolean;
}

/** `pfaff check --json` */
export interface About {
  model: string | null;
  title: string | null;
  coordinates: string[];
  speeds: string[];
  parameters: string[];
  constraints: Constraint[];
  events: { when: string; actions: string[] }[];
  bodies: { name: string; parent: string; joint: string; coordinates: string[] }[];
  rank: number | null;
  redundant: string[] | null;
  degrees_of_freedom: number | null;
  mass_matrix: { rank: number; singular: boolean } | null;
  start: { consistent: boolean; violation: number | null; worst: string | null; singular: string | null } | null;
  start_change: { moved: { name: string; unit: string; from: number; to: number; given: boolean }[] } | null;
  horizon: number | null;
  plots: PlotWish[] | null;
  values: Value[] | null;
  diagnostics: Diagnostic[];
}

export type ShapeKind =
  | "box" | "sphere" | "cylinder" | "wheel" | "arrow" | "shell" | "surface" | "spring" | "damper" | "point" | "trace" | "force";

/** A shape of `pfaff draw --json`; see pfaff/scene.h. */
export interface Shape {
  kind: ShapeKind;
  role: string;
  name: string;
  color: string;
  body?: number;
  size: [number, number, number];
  pose?: number;
  at?: [number, number, number];
  turn?: number[];
  points?: number[];
  columns?: number;
  rows?: number;
  heights?: number[];
}

export interface SceneData {
  model: string | null;
  title: string | null;
  size: number;
  up: [number, number, number];
  flat: boolean;
  ground: boolean;
  /** Where its plane is: z = 0 of this place. */
  ground_at?: number[];
  ground_turn?: number[];
  poses: string[];
  points: string[];
  point_units: string[];
  shapes: Shape[];
  times: number[];
  motion: number[][];
  diagnostics: Diagnostic[];
}

/** Rows of numbers: row i, column j is data[i*columns.length + j]. */
export interface Table {
  columns: string[];
  units: string[];
  rows: number;
  data: Float64Array | Float32Array;
}

export interface RunEvent {
  t: number;
  actions: string[];
  energy_loss?: number;
}

/** `pfaff run --json` without its rows, and its tables. */
export interface RunResult {
  model: string | null;
  method: string | null;
  formulation: string | null;
  end: string | null;
  t_end: number | null;
  steps: number;
  violation: { position: number; velocity: number } | null;
  energy: { start: number; end: number; drift: number } | null;
  /** An implicit method took over, because the motion was too stiff for the default. */
  stiff?: { method: string; from: number };
  events: RunEvent[];
  diagnostics: Diagnostic[];
  code: number;
  samples: Table | null;
  poses: Table | null;
  milliseconds: number;
}

export interface Equation {
  name: string;
  lhs: string;
  rhs: string;
  latex: string;
}

/** `pfaff derive --json` */
export interface Derived {
  form: string;
  unknowns: string[];
  equations: Equation[];
  where: { name: string; value: string; latex?: string }[];
  holds_where_nonzero: string[];
  operations: number;
  diagnostics: Diagnostic[];
}

/** Options of the command line by their long names. */
export type Options = Record<string, string | number | boolean | null | undefined | string[] | Record<string, string | number>>;

/** A trajectory that was put into the page when it was made. */
export interface TrackData {
  name: string;
  columns: string[];
  units: string[];
  rows: number;
  of: number;
  data: string;
  poses: string | null;
  stride?: number;
}

export interface PageData {
  format?: number;
  version?: string;
  title?: string;
  file?: string;
  text?: string;
  run?: Options;
  derived?: Record<string, Derived>;
  tracks?: TrackData[];
  gallery?: { file: string; family: string; text: string }[];
}
