// SPDX-License-Identifier: Apache-2.0
// What the page is about: a model, the numbers the reader has changed, the motion that follows, and the time that is shown.
import { Cancelled, EngineClient, Latest } from "./engine/client";
import { Emitter } from "./events";
import { Motion } from "./motion";
import type { About, Diagnostic, Options, PageData, RunResult, SceneData } from "./types";

/** Changed numbers, in the declared units. */
export interface Changes {
  param: Record<string, number>;
  state: Record<string, number>;
}

type SessionEvents = {
  text: string; // another model was opened
  about: About; // the model was read anew
  diagnostics: Diagnostic[];
  still: SceneData; // the machine at its start, before its motion is known
  motion: Motion; // a motion was computed
  changes: Changes;
  busy: boolean;
  time: number;
  playing: boolean;
};

interface Computed {
  result: RunResult;
  scene: SceneData | null;
}

const SECONDS = 20; // of computing, for a run
const FINE = 1000, COARSE = 300; // samples

const failure = (message: string): Diagnostic => ({ severity: "error", message, hint: null, file: null, line: 0, column: 0, length: 0 });

export class Session extends Emitter<SessionEvents> {
  text = "";
  file = "model.pf";
  about: About | null = null;
  changes: Changes = { param: {}, state: {} };
  motion: Motion | null = null;
  /** The motion before the numbers were changed, to compare with. */
  ghost: Motion | null = null;
  diagnostics: Diagnostic[] = [];
  time = 0;
  playing = false;
  speed = 1;
  loop = true;

  private readonly engine: EngineClient;
  private readonly latest: Latest<Computed | null>;
  private known = ""; // the text that `about` is of

  constructor(bytes: Promise<ArrayBuffer>, readonly data: PageData) {
    super();
    this.engine = new EngineClient(bytes);
    this.latest = new Latest(this.engine, (value) => this.take(value), (error) => this.fail(error));
  }

  /** Another model: numbers are its own again. */
  open(text: string, file: string, changes: Changes = { param: {}, state: {} }): void {
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
    this.changes = { param: {}, state: {} };
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

  /** Options of the command line that say what is shown. */
  options(): Options {
    const given = this.data.run ?? {}, both = (name: "param" | "state") => ({ ...(given[name] as object | undefined), ...this.changes[name] });
    return { ...given, param: both("param"), state: both("state") };
  }

  /** What `check` and `draw` take of them. */
  startOptions(): Options {
    const { param, state, "as-given": asGiven } = this.options();
    return { param, state, "as-given": asGiven };
  }

  private horizon(about: About): number {
    const given = Number(this.data.run?.for ?? NaN);
    return given > 0 ? given : about.horizon ?? 10;
  }

  private compute(samples: number): void {
    const text = this.text;
    this.emit("changes", this.changes);
    this.emit("busy", true);
    this.latest.want(async () => {
      const about = text === this.known && this.about ? this.about : await this.read(text);
      if (about.diagnostics.some((d) => d.severity === "error")) return null;
      const scene = await this.look(text, this.horizon(about));
      const options = { ...this.options(), every: this.options().every ?? this.horizon(about)/samples };
      return { result: await this.engine.ask<RunResult>("run", text, options, { seconds: SECONDS }), scene };
    });
  }

  private async read(text: string): Promise<About> {
    const about = await this.engine.ask<About>("check", text, this.ownStart(), { seconds: SECONDS });
    this.known = text;
    this.about = about;
    this.diagnostics = about.diagnostics;
    this.emit("about", about);
    this.emit("diagnostics", about.diagnostics);
    return about;
  }

  private async look(text: string, horizon: number): Promise<SceneData | null> {
    const draw = (options: Options) => this.engine.ask<SceneData>("draw", text, options, { seconds: SECONDS });
    const scene = await draw(this.startOptions());
    if (scene.diagnostics.some((d) => d.severity === "error")) return null;
    if (!this.motion) this.emit("still", scene);
    if (!scene.shapes.some(({ kind }) => kind === "surface")) return scene;
    // a surface is drawn as far as the motion goes
    const times = Array.from({ length: 25 }, (_, i) => horizon*i/24), spread = await draw({ ...this.startOptions(), at: times.join(",") });
    return spread.diagnostics.some((d) => d.severity === "error") ? scene : spread;
  }

  /** The numbers of the model itself: without what the reader has changed. */
  private ownStart(): Options {
    const { param, state, "as-given": asGiven } = this.data.run ?? {};
    return { param, state, "as-given": asGiven };
  }

  private take(computed: Computed | null): void {
    this.emit("busy", this.latest.wanted);
    if (!computed) return;
    const { result, scene } = computed;
    this.diagnostics = result.diagnostics;
    if (result.samples?.rows) {
      this.motion = new Motion(result, scene);
      this.emit("motion", this.motion);
      this.seek(Math.min(this.time, this.motion.end));
    }
    this.emit("diagnostics", this.diagnostics);
  }

  private fail(error: Error): void {
    this.emit("busy", this.latest.wanted);
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
