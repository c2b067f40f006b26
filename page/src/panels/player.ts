// SPDX-License-Identifier: Apache-2.0
// Time: play, pause, scrub, speed, loop; events as marks.
import { fill, h, show } from "../dom";
import type { Session } from "../session";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Player {
  readonly element: HTMLElement;
  private readonly button = h("button", { class: "round", title: "play or pause (space)", "aria-label": "play", onclick: () => this.session.play(!this.session.playing) }, "▶");
  private readonly slider = h("input", { type: "range", min: 0, max: 1, step: "any", value: 0, class: "time", "aria-label": "time" });
  private readonly clock = h("output", { class: "clock" });
  private readonly marks = h("div", { class: "marks" });
  private last = 0;

  constructor(private readonly session: Session) {
    const speed = h("select", { title: "how fast", "aria-label": "speed" }, ...SPEEDS.map((s) => h("option", { value: s, selected: s === 1 }, `${s}×`)));
    const loop = h("button", { class: "flat", title: "again and again (L)", "aria-pressed": String(session.loop) }, "↻");
    speed.addEventListener("change", () => { session.speed = Number(speed.value); });
    loop.addEventListener("click", () => {
      session.loop = !session.loop;
      loop.setAttribute("aria-pressed", String(session.loop));
    });
    this.slider.addEventListener("input", () => {
      session.play(false);
      session.seek(Number(this.slider.value));
    });
    const back = h("button", { class: "flat", title: "one sample back (←)", "aria-label": "one sample back", onclick: () => this.step(-1) }, "‹");
    const forth = h("button", { class: "flat", title: "one sample on (→)", "aria-label": "one sample on", onclick: () => this.step(1) }, "›");
    this.element = h("div", { class: "player", role: "group", "aria-label": "time" }, this.button, back, forth, h("div", { class: "track" }, this.slider, this.marks), this.clock, speed, loop);
    session.on("motion", () => this.fit());
    session.on("time", (t) => this.follow(t));
    session.on("playing", (on) => {
      this.button.textContent = on ? "❚❚" : "▶";
      this.button.setAttribute("aria-label", on ? "pause" : "play");
      this.last = 0;
      if (on) requestAnimationFrame((now) => this.frame(now));
    });
  }

  step(samples: number): void {
    const { motion, time } = this.session;
    if (!motion) return;
    this.session.play(false);
    this.session.seek(time + samples*(motion.end - motion.begin)/Math.max(1, motion.samples.rows - 1));
  }

  private frame(now: number): void {
    if (!this.session.playing) return;
    if (this.last) this.session.tick(Math.min(0.1, (now - this.last)/1000));
    this.last = now;
    requestAnimationFrame((next) => this.frame(next));
  }

  private fit(): void {
    const { begin, end, result } = this.session.motion!;
    this.slider.min = String(begin);
    this.slider.max = String(end);
    fill(this.marks, ...result.events.slice(0, 200).map(({ t, actions }) => {
      const mark = h("span", { class: "mark", title: `t = ${show(t)} s: ${actions.join("; ") || "event"}` });
      mark.style.left = `${100*(t - begin)/Math.max(end - begin, 1e-300)}%`;
      return mark;
    }));
  }

  private follow(t: number): void {
    this.slider.value = String(t);
    this.clock.textContent = `${show(t, 4)} s`;
  }
}
