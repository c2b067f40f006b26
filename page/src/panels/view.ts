// SPDX-License-Identifier: Apache-2.0
// The machine in motion, and how it is looked at.
import { fill, h } from "../dom";
import { Frames } from "../motion";
import { saveFilm, saveGif, savePng } from "../out/pictures";
import { Machine } from "../scene/machine";
import { Stage, type View as Side } from "../scene/stage";
import type { Session } from "../session";
import type { DrawReport } from "../types";

const GHOST = { opacity: 0.22 };

/** Another motion of the same machine, from a file. */
export interface OtherMotion {
  name: string;
  scene: DrawReport;
  frames: Frames;
}

export class View {
  readonly element = h("section", { class: "view", "aria-label": "machine" });
  readonly stage: Stage | null;
  /** Motions from files, in this scene. */
  others: (scene: DrawReport) => OtherMotion[] = () => [];
  private readonly place = h("div", { class: "stage" });
  private readonly word = h("p", { class: "word quiet" });
  private readonly forces: HTMLElement;
  private readonly follow = h("select", { "aria-label": "follow", title: "what the camera follows" });

  constructor(private readonly session: Session) {
    this.forces = this.toggle("forces", "forces of constraint and contact", "forces");
    fill(this.element, this.place, this.word);
    this.stage = this.makeStage();
    if (!this.stage) return;
    this.element.append(this.toolbar());
    session.on("still", (scene) => this.stage!.show([new Machine(scene, Frames.still(scene))]));
    session.on("motion", () => this.take());
    session.on("time", (t) => this.stage!.place(t));
  }

  private makeStage(): Stage | null {
    try {
      return new Stage(this.place);
    } catch {
      this.word.textContent = "No 3D here: this browser has no WebGL. Curves, equations and the model work all the same.";
      return null;
    }
  }

  private toolbar(): HTMLElement {
    const side = (name: Side, title: string) => h("button", { class: "flat", title: `look from ${title}`, onclick: () => this.stage!.frame(name) }, name);
    this.follow.addEventListener("change", () => {
      const { value } = this.follow, stage = this.stage!;
      stage.followed = value === "all" || value === "none" ? null : Number(value);
      stage.setFollow(value !== "none");
    });
    return h("div", { class: "toolbar" }, side("start", "the first place"), side("top", "above"), side("front", "the front"), side("side", "the side"), this.follow,
      this.toggle("traces", "paths of points", "paths"), this.forces, this.toggle("velocities", "velocities of bodies", "velocities"),
      h("span", { class: "gap" }), this.save("PNG", "this picture", () => savePng(this.stage!, this.name("png"))), this.gifButton(),
      this.save("film", "the motion as WebM", () => { this.word.textContent = saveFilm(this.stage!, this.session, this.name("webm")) ?? ""; }));
  }

  private name(ending: string): string {
    return `${this.session.file.replace(/\.pf$/, "")}.${ending}`;
  }

  private save(text: string, title: string, action: () => void): HTMLElement {
    return h("button", { class: "flat", title: `save ${title}`, onclick: action }, text);
  }

  private gifButton(): HTMLElement {
    const button = this.save("GIF", "the motion as an animated GIF", () => {
      this.session.play(false);
      void saveGif(this.stage!, this.session, this.name("gif"), (part) => { button.textContent = part < 1 ? `${Math.round(100*part)} %` : "GIF"; });
    });
    return button;
  }

  private toggle(what: "traces" | "forces" | "velocities", title: string, text: string): HTMLElement {
    const button = h("button", { class: "flat", title, "aria-pressed": String(what === "traces"), "data-toggle": what }, text);
    button.addEventListener("click", () => {
      const { shown } = this.stage!;
      shown[what] = !shown[what];
      button.setAttribute("aria-pressed", String(shown[what]));
      this.stage!.place(this.session.time);
    });
    return button;
  }

  private take(): void {
    const { motion, ghost } = this.session, machines: Machine[] = [];
    if (motion?.frames && motion.scene) machines.push(new Machine(motion.scene, motion.frames));
    if (machines.length && ghost?.frames && ghost.scene && ghost !== motion) machines.push(new Machine(ghost.scene, ghost.frames, GHOST));
    if (machines.length) for (const { scene, frames } of this.others(motion!.scene!)) machines.push(new Machine(scene, frames, GHOST));
    this.word.textContent = machines.length ? "" : "Nothing is known of this model that could be drawn: it has no bodies. Its curves are beside.";
    this.element.classList.toggle("empty", !machines.length);
    this.stage!.show(machines);
    this.forces.hidden = !machines[0]?.hasForces;
    this.fillFollow(machines[0]?.scene);
  }

  private followNames = "";

  private fillFollow(scene: DrawReport | undefined): void {
    const names = scene?.poses.slice(1) ?? [], signature = names.join("\n");
    if (signature === this.followNames) return;
    this.followNames = signature;
    const { follow } = this.stage!;
    fill(this.follow, h("option", { value: "all", selected: follow }, "follow all"), h("option", { value: "none", selected: !follow }, "stand still"), ...names.map((name, i) => h("option", { value: i + 1 }, `follow ${name}`)));
  }
}
