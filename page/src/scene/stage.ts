// SPDX-License-Identifier: Apache-2.0
// The stage: camera, light, ground, and the machines that are shown.
import { AmbientLight, Box3, Color, DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { DrawReport } from "../types";
import { Ground } from "./ground";
import { Machine, type Shown } from "./machine";

export type View = "start" | "top" | "front" | "side";

/** The plane of the ground, and its up. */
function upOf({ up }: DrawReport): Vector3 {
  const v = new Vector3(...up);
  return v.lengthSq() > 0 ? v.normalize() : new Vector3(0, 0, 1);
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly shown: Shown = { traces: true, forces: false, velocities: false };
  follow = true;
  /** Which pose is followed; null: all. */
  followed: number | null = null;

  private readonly world = new Scene();
  private readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private ground: Ground | null = null;
  private machines: Machine[] = [];
  private signature = "";
  private readonly anchor = new Vector3();
  private time = 0;

  /** Throws where there is no WebGL. */
  constructor(readonly element: HTMLElement) {
    const canvas = document.createElement("canvas"), context = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!context) throw new Error("no WebGL"); // before three.js complains to the console
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    element.append(this.renderer.domElement);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.render());
    this.world.add(new AmbientLight(0xffffff, 0.7), new HemisphereLight(0xffffff, 0xb0b8c0, 1.1), this.sun);
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width/height;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  background(color: string, line: string): void {
    this.world.background = new Color(color);
    this.ground?.paint(line);
    this.lineColor = line;
    this.render();
  }

  private lineColor = "#b8c0c8";

  /** Other machines; the camera stays where it is when the scene is of the same kind. */
  show(machines: Machine[]): void {
    for (const old of this.machines) old.dispose();
    this.machines = machines;
    for (const machine of machines) this.world.add(machine.root);
    const main = machines[0];
    if (!main) return this.render();
    const signature = JSON.stringify([main.scene.model, main.scene.poses, main.scene.up, main.frames.rows > 1]);
    const anew = signature !== this.signature;
    this.signature = signature;
    main.place(main.frames.time[0]!, this.shown);
    if (anew) {
      this.followed = null;
      this.follow = this.goesFar(main);
      this.frame("start");
    }
    this.layGround();
    this.place(anew ? main.frames.time[0]! : this.time);
  }

  get main(): Machine | undefined {
    return this.machines[0];
  }

  /** What is looked at: the machine where it is now; all of its way and what it rolls on, when the camera stands still. */
  private box(): Box3 {
    const main = this.main!, box = main.box();
    const half = 0.5*main.scene.size, p = main.position(null, new Vector3());
    if (box.isEmpty()) box.set(p.clone().subScalar(half), p.clone().addScalar(half));
    return this.follow ? box : box.union(main.reach()).union(main.supports());
  }

  /** A machine that goes far is followed, one that stays is looked at from one place. */
  private goesFar(main: Machine): boolean {
    const reach = main.reach(), extent = main.box().union(main.supports());
    return !reach.isEmpty() && reach.getSize(new Vector3()).length() > 1.6*Math.max(main.scene.size, extent.getSize(new Vector3()).length());
  }

  /** Looks at the machine from a side. */
  frame(view: View): void {
    const main = this.main;
    if (!main) return;
    const up = upOf(main.scene), box = this.box(), centre = box.getCenter(new Vector3()), direction = this.direction(view, up, main.scene.flat);
    const distance = 0.55*box.getSize(new Vector3()).length()/Math.tan(this.camera.fov*Math.PI/360)/Math.min(1, this.camera.aspect);
    this.camera.up.copy(Math.abs(direction.dot(up)) > 0.99 ? this.across(up) : up);
    this.camera.near = distance/100;
    this.camera.far = distance*200;
    this.camera.updateProjectionMatrix();
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.controls.target.copy(centre);
    this.anchor.copy(main.position(this.followed, new Vector3()));
    this.sun.position.copy(this.camera.position).addScaledVector(up, distance);
    this.controls.update();
    this.render();
  }

  private across(up: Vector3): Vector3 {
    return Math.abs(up.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
  }

  private direction(view: View, up: Vector3, flat: boolean): Vector3 {
    const vertical = Math.abs(up.z) < 0.9; // a mechanism in a vertical plane is seen along z
    if (view === "top") return up.clone();
    if (view === "front") return vertical && flat ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
    if (view === "side") return new Vector3(1, 0, 0);
    if (flat && vertical) return new Vector3(0.18, 0, 1).addScaledVector(up, 0.16).normalize();
    return flat ? new Vector3(-0.35, -0.75, 1).normalize() : new Vector3(-0.55, -1, 0.62).normalize();
  }

  private layGround(): void {
    this.ground?.dispose();
    this.ground = null;
    const scene = this.main?.scene;
    if (!this.main || !scene?.ground) return;
    this.ground = new Ground(Math.max(scene.size, 0.4*this.main.box().getSize(new Vector3()).length()), this.lineColor,
      scene.ground_at ?? [0, 0, 0], scene.ground_turn ?? [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    this.world.add(this.ground);
  }

  /** Everything at time t. */
  place(t: number): void {
    this.time = t;
    for (const machine of this.machines) machine.place(t, this.shown);
    this.goAlong();
    this.render();
  }

  /** The camera goes along with what it follows. */
  private goAlong(): void {
    const main = this.main;
    if (!main || !this.follow) return;
    const now = main.position(this.followed, new Vector3()), step = now.clone().sub(this.anchor);
    this.anchor.copy(now);
    if (!Number.isFinite(step.lengthSq())) return;
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.sun.position.add(step);
    this.controls.update();
  }

  setFollow(on: boolean): void {
    this.follow = on;
    this.main?.position(this.followed, this.anchor);
  }

  render(): void {
    this.ground?.under(this.controls.target);
    this.renderer.render(this.world, this.camera);
  }
}
