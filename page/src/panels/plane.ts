// SPDX-License-Identifier: Apache-2.0
// One quantity over another: a path in a plane, with a dot where the motion is.
import { show } from "../dom";

export interface Path {
  x: Float64Array;
  y: Float64Array;
  color: string;
  dashed: boolean;
}

function extent(lists: Float64Array[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (const v of list) if (Math.abs(v) < 1e100) low = Math.min(low, v), high = Math.max(high, v);
  if (low > high) return [-1, 1];
  const margin = high > low ? 0.06*(high - low) : Math.abs(high) || 1;
  return [low - margin, high + margin];
}

/** Round numbers within a range. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low)/count, power = 10**Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find((s) => s*power >= raw)!*power, list: number[] = [];
  for (let k = Math.ceil(low/step); k*step <= high; k++) list.push(Number((k*step).toPrecision(12)));
  return list;
}

export class Plane {
  readonly canvas = document.createElement("canvas");
  private xRange: [number, number] = [0, 1];
  private yRange: [number, number] = [0, 1];
  private paths: Path[] = [];

  constructor(private readonly xLabel: string, private readonly yLabel: string, private readonly equalUnits: boolean) {
    this.canvas.className = "plane";
  }

  /** Equal units: equal lengths. */
  set(paths: Path[], width: number, height: number): void {
    const ratio = window.devicePixelRatio;
    this.canvas.width = width*ratio;
    this.canvas.height = height*ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.paths = paths;
    this.xRange = extent(paths.map((p) => p.x));
    this.yRange = extent(paths.map((p) => p.y));
    if (this.equalUnits) this.equalise(width - 70, height - 46);
  }

  private equalise(width: number, height: number): void {
    const [x, y] = [this.xRange, this.yRange], scale = Math.max((x[1] - x[0])/width, (y[1] - y[0])/height);
    for (const [r, pixels] of [[x, width], [y, height]] as const) {
      const middle = (r[0] + r[1])/2;
      r[0] = middle - scale*pixels/2, r[1] = middle + scale*pixels/2;
    }
  }

  draw(marks: [number, number, string][]): void {
    const c = this.canvas.getContext("2d"), ratio = window.devicePixelRatio;
    if (!c) return;
    const width = this.canvas.width/ratio, height = this.canvas.height/ratio, style = getComputedStyle(this.canvas);
    const [left, right, top, bottom] = [58, width - 12, 10, height - 36];
    const px = (x: number) => left + (x - this.xRange[0])/(this.xRange[1] - this.xRange[0])*(right - left);
    const py = (y: number) => bottom - (y - this.yRange[0])/(this.yRange[1] - this.yRange[0])*(bottom - top);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = style.color;
    c.strokeStyle = style.borderColor || "#8884";
    c.lineWidth = 1;
    c.globalAlpha = 0.9;
    c.textAlign = "center";
    for (const x of ticks(...this.xRange, Math.max(2, (right - left)/80))) {
      this.line(c, px(x), top, px(x), bottom);
      c.fillText(show(x, 4), px(x), bottom + 14);
    }
    c.textAlign = "right";
    for (const y of ticks(...this.yRange, Math.max(2, (bottom - top)/45))) {
      this.line(c, left, py(y), right, py(y));
      c.fillText(show(y, 4), left - 5, py(y) + 4);
    }
    c.textAlign = "center";
    c.fillText(this.xLabel, (left + right)/2, height - 6);
    c.save();
    c.translate(11, (top + bottom)/2);
    c.rotate(-Math.PI/2);
    c.fillText(this.yLabel, 0, 0);
    c.restore();
    c.globalAlpha = 1;
    for (const path of this.paths) this.stroke(c, path, px, py);
    for (const [x, y, color] of marks) {
      c.fillStyle = color;
      c.beginPath();
      c.arc(px(x), py(y), 4.5, 0, 2*Math.PI);
      c.fill();
    }
  }

  private line(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
  }

  private stroke(c: CanvasRenderingContext2D, { x, y, color, dashed }: Path, px: (x: number) => number, py: (y: number) => number): void {
    c.strokeStyle = color;
    c.lineWidth = 1.5;
    c.setLineDash(dashed ? [5, 4] : []);
    c.beginPath();
    let pen = false;
    for (let i = 0; i < x.length; i++) {
      if (!Number.isFinite(x[i]!) || !Number.isFinite(y[i]!)) pen = false;
      else if (pen) c.lineTo(px(x[i]!), py(y[i]!));
      else c.moveTo(px(x[i]!), py(y[i]!)), pen = true;
    }
    c.stroke();
    c.setLineDash([]);
  }
}
