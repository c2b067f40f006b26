// SPDX-License-Identifier: Apache-2.0
// A scene in motion: shapes that follow the poses of a motion.
import { Box3, BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Material, Matrix4, Mesh, MeshBasicMaterial, Object3D, Quaternion, Vector3 } from "three";
import type { Frames } from "../motion";
import type { DrawReport, Shape } from "../types";
import { arrow, make, type Look } from "./shapes";

/** What can be switched on and off. */
export interface Shown {
  traces: boolean;
  forces: boolean;
  velocities: boolean;
}

interface Bar {
  object: Object3D;
  from: number;
  to: number;
}

interface Trace {
  past: Line;
  whole: Line;
}

interface Vectors {
  object: Group;
  /** origin and vector at a time; false: nothing to show */
  read: (t: number, origin: Vector3, vector: Vector3) => boolean;
  scale: number;
  kind: "forces" | "velocities";
}

const Z = new Vector3(0, 0, 1);
const MOST_ARROWS = 60;

function matrix(frames: Frames, at: number, out: Matrix4): Matrix4 {
  const n = (k: number) => frames.number(at + k);
  return out.set(n(3), n(4), n(5), n(0), n(6), n(7), n(8), n(1), n(9), n(10), n(11), n(2), 0, 0, 0, 1);
}

export class Machine {
  readonly root = new Group();
  private readonly poses: Group[];
  private readonly bars: Bar[] = [];
  private readonly spots: { object: Object3D; point: number }[] = [];
  private readonly traces: Trace[] = [];
  private readonly vectors: Vectors[] = [];
  private readonly grounds: Object3D[] = [];
  private readonly scratch = { a: new Matrix4(), b: new Matrix4(), p: new Vector3(), q: new Vector3(), u: new Quaternion(), w: new Quaternion(), s: new Vector3() };

  constructor(readonly scene: DrawReport, readonly frames: Frames, private readonly look: Look = { opacity: 1 }) {
    this.poses = scene.poses.map(() => new Group());
    this.root.add(...this.poses);
    for (const shape of scene.shapes) this.add(shape);
    if (look.opacity === 1) this.addVelocities();
  }

  private add(shape: Shape): void {
    if (shape.kind === "trace") return this.addTrace(shape);
    if (shape.kind === "force") return this.look.opacity === 1 ? this.addForce(shape) : undefined;
    const object = make(shape, this.look);
    if (!object) return;
    if (shape.role === "support") this.grounds.push(object);
    if (shape.points?.length === 2) this.bars.push({ object, from: shape.points[0]!, to: shape.points[1]! }), this.root.add(object);
    else if (shape.points?.length === 1) this.spots.push({ object, point: shape.points[0]! }), this.root.add(object);
    else this.poses[shape.pose ?? 0]!.add(placed(object, shape));
  }

  // ---------------------------------------------------------------- paths

  private addTrace(shape: Shape): void {
    const point = shape.points![0]!, { frames } = this, places = new Float32Array(3*frames.rows);
    for (let i = 0; i < frames.rows; i++) {
      const at = frames.pointAt(i, point);
      for (let k = 0; k < 3; k++) places[3*i + k] = frames.number(at + k);
    }
    const geometry = () => new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3)), color = shape.color;
    const past = new Line(geometry(), new LineBasicMaterial({ color, transparent: true, opacity: this.look.opacity }));
    const whole = new Line(geometry(), new LineBasicMaterial({ color, transparent: true, opacity: 0.3*this.look.opacity }));
    past.frustumCulled = whole.frustumCulled = false; // its points may be anywhere, or nowhere
    this.traces.push({ past, whole });
    this.root.add(past, whole);
  }

  // ---------------------------------------------------------------- arrows

  private addForce(shape: Shape): void {
    const [at, force] = shape.points as [number, number];
    this.addVector("forces", 0xc8402f, (t, origin, vector) => {
      this.readPoint(at, t, origin);
      this.readPoint(force, t, vector);
      return true;
    });
  }

  /** Of the origins of all bodies that move, by differences of the motion. */
  private addVelocities(): void {
    const bodies = new Set(this.scene.shapes.filter((s) => s.role === "body" || s.role === "wheel").map((s) => s.pose ?? 0));
    bodies.delete(0);
    for (const pose of [...bodies].slice(0, MOST_ARROWS))
      this.addVector("velocities", 0x2a8c82, (t, origin, vector) => {
        const { frames } = this, [i, j, part] = frames.between(t), from = Math.max(0, Math.min(i, frames.rows - 2)), to = Math.max(j, Math.min(from + 1, frames.rows - 1));
        const span = frames.time[to]! - frames.time[from]!, a = frames.poseAt(from, pose), b = frames.poseAt(to, pose);
        if (!(span > 0)) return false;
        for (let k = 0; k < 3; k++) {
          const step = frames.number(b + k) - frames.number(a + k);
          vector.setComponent(k, step/span);
          origin.setComponent(k, frames.number(a + k) + part*step);
        }
        return true;
      });
  }

  private addVector(kind: Vectors["kind"], color: number, read: Vectors["read"]): void {
    const object = arrow(1, 0.022, new MeshBasicMaterial({ color }));
    this.vectors.push({ object, read, scale: 1, kind });
    this.root.add(object);
  }

  /** One scale for each kind: the largest arrow of the motion is as long as the machine. */
  private rescale(): void {
    const most = { forces: 0, velocities: 0 }, { p, q } = this.scratch, { time, rows } = this.frames;
    for (const v of this.vectors)
      for (let i = 0; i < rows; i += Math.max(1, rows >> 7)) if (v.read(time[i]!, p, q)) most[v.kind] = Math.max(most[v.kind], q.length());
    for (const v of this.vectors) v.scale = most[v.kind] > 0 ? 0.9*this.scene.size/most[v.kind] : 0;
  }

  private scaled = false;

  private placeVectors(t: number, shown: Shown): void {
    const { p, q } = this.scratch;
    if (!this.scaled && (shown.forces || shown.velocities)) this.rescale(), this.scaled = true;
    for (const v of this.vectors) {
      v.object.visible = shown[v.kind] && v.read(t, p, q);
      const length = v.object.visible ? q.length()*v.scale : 0;
      v.object.visible &&= length > 0.01*this.scene.size;
      if (!v.object.visible) continue;
      v.object.position.copy(p);
      v.object.quaternion.setFromUnitVectors(Z, q.normalize());
      v.object.scale.set(this.scene.size, this.scene.size, length);
    }
  }

  get hasForces(): boolean {
    return this.vectors.some((v) => v.kind === "forces");
  }

  // ---------------------------------------------------------------- where everything is

  private readPoint(point: number, t: number, out: Vector3): Vector3 {
    const place: [number, number, number] = [0, 0, 0];
    this.frames.point(point, t, place);
    return out.fromArray(place);
  }

  /** Everything to where it is at time t. */
  place(t: number, shown: Shown): void {
    const { a, b, p, q, u, w, s } = this.scratch, [i, j, part] = this.frames.between(t);
    this.poses.forEach((group, pose) => {
      matrix(this.frames, this.frames.poseAt(i, pose), a).decompose(group.position, group.quaternion, s);
      if (!part) return;
      matrix(this.frames, this.frames.poseAt(j, pose), b).decompose(p, u, s);
      group.position.lerp(p, part);
      group.quaternion.slerp(w.copy(u), part);
    });
    for (const { object, point } of this.spots) this.readPoint(point, t, object.position);
    for (const { object, from, to } of this.bars) {
      this.readPoint(from, t, p);
      this.readPoint(to, t, q).sub(p);
      object.position.copy(p);
      object.scale.z = Math.max(q.length(), 1e-9);
      object.quaternion.setFromUnitVectors(Z, q.normalize());
    }
    for (const { past, whole } of this.traces) {
      past.visible = whole.visible = shown.traces;
      past.geometry.setDrawRange(0, i + 1);
    }
    this.placeVectors(t, shown);
  }

  /** Where a pose is now, or the mean of all that move. */
  position(pose: number | null, out: Vector3): Vector3 {
    if (pose !== null) return out.copy(this.poses[pose]!.position);
    const moving = this.poses.slice(1);
    out.set(0, 0, 0);
    for (const group of moving) out.add(group.position);
    return moving.length ? out.divideScalar(moving.length) : out;
  }

  /** Around the origins of all that moves, at all times. */
  reach(): Box3 {
    const { frames, scene } = this, box = new Box3(), p = this.scratch.p;
    for (let i = 0; i < frames.rows; i += Math.max(1, frames.rows >> 8))
      for (let pose = 1; pose < scene.poses.length; pose++) {
        const at = frames.poseAt(i, pose);
        p.set(frames.number(at), frames.number(at + 1), frames.number(at + 2));
        if (Number.isFinite(p.lengthSq())) box.expandByPoint(p);
      }
    return box;
  }

  /** Around bowls and surfaces that something rolls on. */
  supports(): Box3 {
    const box = new Box3();
    this.root.updateMatrixWorld(true);
    for (const object of this.grounds) box.expandByObject(object);
    return box;
  }

  /** Around all shapes that move. */
  box(): Box3 {
    const box = new Box3();
    this.root.updateMatrixWorld(true);
    for (const group of this.poses.slice(1)) box.expandByObject(group);
    for (const { object } of [...this.bars, ...this.spots]) box.expandByObject(object);
    return box;
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((object) => {
      const { geometry, material } = object as Mesh;
      geometry?.dispose();
      for (const one of [material].flat()) (one as Material | undefined)?.dispose();
    });
  }
}

function placed(object: Object3D, { at = [0, 0, 0], turn }: Shape): Object3D {
  const t = turn ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const group = new Group();
  new Matrix4().set(t[0]!, t[1]!, t[2]!, at[0], t[3]!, t[4]!, t[5]!, at[1], t[6]!, t[7]!, t[8]!, at[2], 0, 0, 0, 1).decompose(group.position, group.quaternion, group.scale);
  group.add(object);
  return group;
}
