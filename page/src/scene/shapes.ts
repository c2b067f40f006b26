// SPDX-License-Identifier: Apache-2.0
// Shapes of a scene as meshes. Sizes as in pfaff/scene.h; what has an axis has it along z.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, ConeGeometry, CylinderGeometry, DoubleSide, FrontSide, Group, LineBasicMaterial, LineSegments, Material, Mesh, MeshStandardMaterial, Object3D,
  SphereGeometry, TorusGeometry, TubeGeometry, Vector3,
} from "three";
import type { Shape } from "../types";

export interface Look {
  /** 1: solid; less: a ghost */
  opacity: number;
}

function material(shape: Shape, look: Look): MeshStandardMaterial {
  const seeThrough = shape.role !== "support" ? 1 : shape.kind === "surface" ? 0.6 : 0.35;
  const opacity = look.opacity*seeThrough;
  return new MeshStandardMaterial({
    color: shape.color, roughness: 0.62, metalness: 0.08, transparent: opacity < 1, opacity, depthWrite: opacity >= 1,
    side: shape.kind === "shell" || shape.kind === "surface" ? DoubleSide : FrontSide,
  });
}

/** three has the axes of cylinders along y. */
const alongZ = <T extends BufferGeometry>(geometry: T): T => geometry.rotateX(Math.PI/2);

function cylinder(radius: number, height: number): BufferGeometry {
  return alongZ(new CylinderGeometry(radius, radius, height, 40));
}

/** Rollers of an omni- or mecanum wheel around the rim, turned by `angle` from the axle. */
function rollers(radius: number, width: number, angle: number, paint: Material): Group {
  const count = Math.max(8, Math.min(16, Math.round(2*Math.PI*radius/Math.max(width*0.8, radius/3)))), group = new Group();
  const length = Math.min(1.6*Math.PI*radius/count, 1.2*width/Math.max(0.5, Math.abs(Math.cos(angle))) || Infinity), thick = 0.09*radius;
  for (let i = 0; i < count; i++) {
    const roller = new Mesh(cylinder(thick, length), paint), place = new Group();
    roller.position.set(radius - thick, 0, 0);
    roller.rotation.x = angle;
    place.rotation.z = 2*Math.PI*i/count;
    place.add(roller);
    group.add(place);
  }
  return group;
}

/** A rim with spokes, so that one sees it turn. */
function wheel([radius, width, angle]: readonly [number, number, number], paint: Material, bright: Material): Group {
  const group = new Group(), thick = Math.min(0.14*radius, Math.max(width/2, 0.05*radius));
  const hub = new Mesh(cylinder(0.16*radius, Math.max(width, 0.1*radius)), bright);
  const rim = new Mesh(new TorusGeometry(radius - thick, thick, 14, 56), paint);
  rim.scale.z = Math.max(width, 0.1*thick)/(2*thick);
  group.add(hub);
  if (angle) group.add(new Mesh(cylinder(0.78*radius, 0.7*width), paint), rollers(radius, width, angle, bright));
  else group.add(rim);
  for (let i = 0; i < 6 && !angle; i++) {
    const spoke = new Mesh(new BoxGeometry(0.06*radius, radius - thick, Math.max(0.4*width, 0.02*radius)), i ? paint : bright), place = new Group();
    spoke.position.y = (radius - thick)/2;
    place.rotation.z = Math.PI*i/3;
    place.add(spoke);
    group.add(place);
  }
  return group;
}

/** From the origin along z. */
export function arrow(length: number, radius: number, paint: Material): Group {
  const head = Math.min(0.35*length, 6*radius), group = new Group();
  const shaft = new Mesh(cylinder(radius, length - head), paint), tip = new Mesh(alongZ(new ConeGeometry(2.4*radius, head, 24)), paint);
  shaft.position.z = (length - head)/2;
  tip.position.z = length - head/2;
  group.add(shaft, tip);
  return group;
}

/** z over a grid that has half lengths a and b. */
function surface({ size: [a, b], columns = 2, rows = 2, heights = [] }: Shape, paint: Material): Mesh {
  const places = new Float32Array(3*columns*rows), index: number[] = [];
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++)
      places.set([-a + 2*a*i/(columns - 1), -b + 2*b*j/(rows - 1), heights[j*columns + i] ?? 0], 3*(j*columns + i));
  for (let j = 0; j + 1 < rows; j++)
    for (let i = 0; i + 1 < columns; i++) {
      const k = j*columns + i;
      index.push(k, k + 1, k + columns, k + 1, k + columns + 1, k + columns);
    }
  const attribute = new BufferAttribute(places, 3), geometry = new BufferGeometry().setAttribute("position", attribute).setIndex(index);
  geometry.computeVertexNormals();
  const lines = new BufferGeometry().setAttribute("position", attribute).setIndex(meshes(columns, rows));
  return new Mesh(geometry, paint).add(new LineSegments(lines, new LineBasicMaterial({ color: 0x8a97a5, transparent: true, opacity: 0.7 })));
}

/** Lines along both directions of a grid, by the numbers of their ends. */
function meshes(columns: number, rows: number): number[] {
  const index: number[] = [];
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      const k = j*columns + i;
      if (i + 1 < columns) index.push(k, k + 1);
      if (j + 1 < rows) index.push(k, k + columns);
    }
  return index;
}

/** Of length one along z, to be stretched. */
function spring(radius: number, paint: Material): Mesh {
  const TURNS = 9, points: Vector3[] = [new Vector3(0, 0, 0)];
  for (let i = 0; i <= 12*TURNS; i++) {
    const angle = 2*Math.PI*i/12;
    points.push(new Vector3(radius*Math.cos(angle), radius*Math.sin(angle), 0.08 + 0.84*i/(12*TURNS)));
  }
  points.push(new Vector3(0, 0, 1));
  return new Mesh(new TubeGeometry(new CatmullRomCurve3(points), 24*TURNS, 0.12*radius, 7), paint);
}

function damper(radius: number, paint: Material): Group {
  const group = new Group(), pot = new Mesh(cylinder(radius, 0.45), paint), rod = new Mesh(cylinder(0.3*radius, 1), paint);
  pot.position.z = 0.4;
  rod.position.z = 0.5;
  group.add(pot, rod);
  return group;
}

/** The shape at its own origin; springs and dampers have length one. */
export function make(shape: Shape, look: Look): Object3D | null {
  const paint = material(shape, look), [a, b, c] = shape.size as [number, number, number];
  switch (shape.kind) {
    case "box": return new Mesh(new BoxGeometry(a, b, c), paint);
    case "sphere": return new Mesh(new SphereGeometry(a, 40, 24), paint).add(meridian(a, paint));
    case "point": return new Mesh(new SphereGeometry(a, 20, 12), paint);
    case "shell": return new Mesh(new SphereGeometry(a, 48, 24, 0, 2*Math.PI, Math.PI/2, Math.PI/2).rotateX(Math.PI/2), paint);
    case "cylinder": return new Mesh(cylinder(a, b), paint).add(mark(a, b, paint));
    case "wheel": return wheel([a, b, c], paint, brighter(paint));
    case "arrow": return arrow(a, 0.03*a, paint);
    case "surface": return surface(shape, paint);
    case "spring": return spring(a, paint);
    case "damper": return damper(a, paint);
    default: return null;
  }
}

function brighter(paint: MeshStandardMaterial): MeshStandardMaterial {
  const other = paint.clone();
  other.color.lerp(other.color.clone().setHex(0xffffff), 0.55);
  return other;
}

/** So that one sees a ball turn. */
function meridian(radius: number, paint: MeshStandardMaterial): Object3D {
  const group = new Group(), other = brighter(paint);
  for (const turn of [0, Math.PI/2]) {
    const ring = new Mesh(new TorusGeometry(radius, 0.02*radius, 6, 64), other);
    ring.rotation.x = turn;
    group.add(ring);
  }
  return group;
}

/** So that one sees a disc turn. */
function mark(radius: number, height: number, paint: MeshStandardMaterial): Object3D {
  const line = new Mesh(new BoxGeometry(0.9*radius, 0.07*radius, 1.02*height), brighter(paint));
  line.position.x = 0.45*radius;
  return line;
}
