// SPDX-License-Identifier: Apache-2.0
// What the page is about: a model, the numbers the reader has changed, the motion that follows, and the time that is shown.
import { Cancelled, EngineClient, Latest, type RunResult } from "./engine/client";
import { Emitter } from "./events";
import { Motion } from "./motion";
import type { CheckReport, Diagnostic, DrawReport, Options, PageData, Value } from "./types";

/** What is in the page from the beginning: all of it by the program, a part by others, examples in the playground. */
export type Content = Partial<PageData> & { gallery?: { file: string; family: string; text: string }[] };

/** Changed numbers, in the declared units. */
export interface Changes {
  param: Record<string, number>;
  state: Record<string, number>;
}

type SessionEvents = {
  values: Value[]; // the numbers of the model after a change: some are made of others
  text: string; // another model was opened
  about: CheckReport; // the model was read anew
  diagnostics: Diagnostic[];
  still: DrawReport; // the machine at its start, before its motion is known
  motion: Motion; // a motion was computed
  changes: Changes;
  busy: boolean;
  time: number;
  playing: boolean;
};

interface Computed {
  result: RunResult;
  scene: DrawReport | null;
}

const SECONDS = 20; // of computing, for a run
const FINE = 1000, COARSE = 300; // samples

/** Names are whatever the model says, `constructor` too. */
export const noChanges = (): Changes => ({ param: Object.create(null) as Record<string, number>, state: Object.create(null) as Record<string, number> });

const failure = (message: string): Diagnostic => ({ severity: "error", code: "none", message, hint: null, setting: null, file: null, line: 0, column: 0, length: 0 });

export class Session extends Emitter<SessionEvents> {
  text = "";
  file = "model.pf";
  about: CheckReport | null = null;
  changes: Changes = noChanges();
  motion: Motion | null = null;
  /** The motion before the numbers were changed, to compare with. */
  ghost: Motion | null = null;
  diagnostics: Diagnostic[] = [];
  /** The motion that is shown is not that of the text and the numbers: these have none. */
  stale = false;
  time = 0;
  playing = false;
  speed = 1;
  loop = true;

  private readonly engine: EngineClient;
  private readonly latest: Latest<Computed | null>;
  private known = ""; // the text that `about` is of
  private valuesOf = ""; // the changes that the shown numbers are of

  constructor(bytes: Promise<ArrayBuffer>, readonly data: Content) {
    super();
    this.engine = new EngineClient(bytes);
    this.latest = new Latest(this.engine, (value) => this.take(value), (error) => this.fail(error));
  }

  /** Another model: numbers are its own again. */
  open(text: string, file: string, changes: Changes = noChanges()): void {
    this.text = text;
    this.file = file;
    this.changes = changes;
    this.ghost = null;
    this.motion = null;
    this.emit("text", text);
    this.compute(FINE);
  }

  /** The same model with another text. */
  edit(text: string): void {
    this.text = text;
    this.compute(FINE);
  }

  /** A number is changed; while a slider moves there are fewer samples. */
  change(kind: keyof Changes, name: string, value: number | null, settled: boolean): void {
    this.ghost ??= this.motion;
    if (value === null) delete this.changes[kind][name];
    else this.changes[kind][name] = value;
    this.compute(settled ? FINE : COARSE);
  }

  reset(): void {
    this.changes = noChanges();
    this.ghost = null;
    this.compute(FINE);
  }

  forgetGhost(): void {
    this.ghost = null;
    if (this.motion) this.emit("motion", this.motion);
  }

  cancel(): void {
    this.latest.cancel();
  }

  /** Settings that say what is shown. */
  options(): Options {
    const given = this.data.run ?? {}, both = (name: "param" | "state") => ({ ...(given[name] as object | undefined), ...this.changes[name] });
    return { ...given, param: both("param"), state: both("state") };
  }

  /** Those of tasks that look at the start. */
  startOptions(): Options {
    const { param, state, time, "as-given": asGiven } = this.options();
    return { param, state, time, "as-given": asGiven };
  }

  private horizon(about: CheckReport): number {
    const { for: given } = this.data.run ?? {};
    return given === undefined ? about.horizon ?? 10 : typeof given === "number" ? given : NaN; // a text is for the engine
  }

  /** Samples at equal distances, as the command line says or so many; at every step where the duration is not known. */
  private every(about: CheckReport, samples: number): Options[string] {
    const horizon = this.horizon(about);
    return this.options().every ?? (horizon > 0 && Number.isFinite(horizon) ? horizon/samples : undefined);
  }

  /** Changes of numbers that the model does not have are forgotten. */
  private forgetUnknown({ values }: CheckReport): void {
    const known = new Set(values?.map(({ name }) => name));
    for (const group of Object.values(this.changes) as Record<string, number>[])
      for (const name of Object.keys(group)) if (values && !known.has(name)) delete group[name];
  }

  private compute(samples: number): void {
    const text = this.text;
    this.emit("changes", this.changes);
    this.emit("busy", true);
    this.latest.want(async () => {
      const about = text === this.known && this.about ? this.about : await this.read(text);
      if (about.diagnostics.some((d) => d.severity === "error")) return null;
      const scene = await this.look(text, this.horizon(about));
      const options = { ...this.options(), every: this.every(about, samples) };
      const result = await this.engine.ask<RunResult>("run", text, options, { seconds: SECONDS });
      return { result, scene };
    });
  }

  private async read(text: string): Promise<CheckReport> {
    const about = await this.engine.ask<CheckReport>("check", text, this.ownStart(), { seconds: SECONDS });
    this.known = text;
    this.about = about;
    this.valuesOf = JSON.stringify(noChanges());
    this.forgetUnknown(about);
    this.diagnostics = about.diagnostics;
    this.emit("about", about);
    this.emit("diagnostics", about.diagnostics);
    return about;
  }

  /** Numbers that are made of others follow those that are changed; the motion does not wait for them. */
  private async readValues(): Promise<void> {
    const changes = JSON.stringify(this.changes);
    if (changes === this.valuesOf) return;
    this.valuesOf = changes;
    const { time: _, ...options } = this.startOptions(), { values } = await this.engine.ask<CheckReport>("check", this.text, options, { seconds: SECONDS });
    if (values) this.emit("values", values);
  }

  private async look(text: string, horizon: number): Promise<DrawReport | null> {
    const draw = (options: Options) => this.engine.ask<DrawReport>("draw", text, options, { seconds: SECONDS });
    const scene = await draw(this.startOptions());
    if (scene.diagnostics?.some((d) => d.severity === "error")) return null;
    if (!this.motion) this.emit("still", scene);
    if (!scene.shapes.some(({ kind }) => kind === "surface")) return scene;
    // a surface is drawn as far as the motion goes
    if (!Number.isFinite(horizon)) return scene;
    const times = Array.from({ length: 25 }, (_, i) => horizon*i/24), spread = await draw({ ...this.startOptions(), at: times });
    return spread.diagnostics?.some((d) => d.severity === "error") ? scene : spread;
  }

  /** The numbers of the model itself: without what the reader has changed. */
  private ownStart(): Options {
    const { param, state, "as-given": asGiven } = this.data.run ?? {};
    return { param, state, "as-given": asGiven };
  }

  private take(computed: Computed | null): void {
    this.emit("busy", this.latest.wanted);
    this.stale = !computed?.result.samples?.rows;
    if (!computed) return this.emit("diagnostics", this.diagnostics);
    const { result, scene } = computed;
    this.diagnostics = result.diagnostics;
    if (result.samples?.rows) {
      this.motion = new Motion(result, scene);
      this.emit("motion", this.motion);
      this.seek(Math.min(this.time, this.motion.end));
    }
    this.emit("diagnostics", this.diagnostics);
    if (!this.latest.wanted) this.readValues().catch(() => { this.valuesOf = ""; }); // given up for a newer run
  }

  private fail(error: Error): void {
    this.emit("busy", this.latest.wanted);
    this.stale = true;
    this.diagnostics = [failure(error instanceof Cancelled ? "the computation was stopped" : error.message)];
    this.emit("diagnostics", this.diagnostics);
  }

  // ---------------------------------------------------------------- time

  seek(t: number): void {
    const motion = this.motion;
    this.time = motion ? Math.min(Math.max(t, motion.begin), motion.end) : t;
    this.emit("time", this.time);
  }

  play(on: boolean): void {
    if (on && this.motion && this.time >= this.motion.end) this.time = this.motion.begin;
    this.playing = on;
    this.emit("playing", on);
  }

  /** Time goes on by so many seconds of the clock. */
  tick(seconds: number): void {
    const motion = this.motion;
    if (!this.playing || !motion) return;
    let t = this.time + seconds*this.speed;
    if (t > motion.end && this.loop) t = motion.begin;
    if (t > motion.end) this.play(false);
    this.seek(t);
  }
}
