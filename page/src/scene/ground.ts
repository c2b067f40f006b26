// SPDX-License-Identifier: Apache-2.0
// The ground: a plane with meshes of a round length that goes on as far as one sees.
import { Color, DoubleSide, Matrix4, Mesh, PlaneGeometry, ShaderMaterial, Vector3 } from "three";

/** 1, 2 or 5 times a power of ten. */
export function roundLength(length: number): number {
  const power = 10**Math.floor(Math.log10(length));
  return power*(length/power < 1.5 ? 1 : length/power < 3.5 ? 2 : 5);
}

const VERTEX = `
varying vec2 place;
void main() {
  place = position.xy;
  gl_Position = projectionMatrix*modelViewMatrix*vec4(position, 1.0);
}`;

// a line is as wide as a pixel wherever it is; where meshes are smaller than that, there is none
const FRAGMENT = `
uniform vec3 color;
uniform float mesh, radius;
varying vec2 place;
void main() {
  vec2 cell = place/mesh, width = fwidth(cell), off = abs(fract(cell - 0.5) - 0.5)/width;
  float line = 1.0 - min(min(off.x, off.y), 1.0);
  float far = 1.0 - smoothstep(0.35, 1.0, length(place)/radius), fine = 1.0 - smoothstep(0.2, 0.7, max(width.x, width.y));
  gl_FragColor = vec4(color, line*far*fine);
  #include <colorspace_fragment>
}`;

export class Ground extends Mesh<PlaneGeometry, ShaderMaterial> {
  private readonly plane = new Matrix4();

  /** `at` and `turn` (rotation matrix by rows) say where its plane is. */
  constructor(size: number, color: string, at: number[], turn: number[]) {
    const mesh = roundLength(size/3), radius = 25*size;
    super(new PlaneGeometry(2*radius, 2*radius), new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
      uniforms: { color: { value: new Color(color) }, mesh: { value: mesh }, radius: { value: radius } },
    }));
    this.renderOrder = -1;
    const [a, b, c, d, e, f, g, h, i] = turn as [number, number, number, number, number, number, number, number, number];
    this.plane.set(a, b, c, at[0]!, d, e, f, at[1]!, g, h, i, at[2]!, 0, 0, 0, 1);
    this.quaternion.setFromRotationMatrix(this.plane);
  }

  paint(color: string): void {
    (this.material.uniforms.color!.value as Color).set(color);
  }

  /** Goes along by whole meshes: the lines stay where they are. */
  under(target: Vector3): void {
    const mesh = this.material.uniforms.mesh!.value as number, { x, y } = target.clone().applyMatrix4(this.plane.clone().invert());
    this.position.set(Math.round(x/mesh)*mesh, Math.round(y/mesh)*mesh, 0).applyMatrix4(this.plane);
  }

  dispose(): void {
    this.removeFromParent();
    this.geometry.dispose();
    this.material.dispose();
  }
}
