// SPDX-License-Identifier: Apache-2.0
// Trajectories that were put into the page when it was made: curves beside ours, and machines beside ours.
import { Frames, Samples } from "./motion";
import type { Curves } from "./panels/curves";
import type { OtherMotion, View } from "./panels/view";
import type { Content } from "./session";
import type { DrawReport, PageDataTrack } from "./types";

/** Nothing where it is not what it should be. */
function bytes(base64: string, size: number): ArrayBuffer {
  try {
    const text = atob(base64);
    return text.length%size ? new ArrayBuffer(0) : Uint8Array.from(text, (c) => c.charCodeAt(0)).buffer;
  } catch {
    return new ArrayBuffer(0);
  }
}

function samplesOf({ name, columns, units, rows, data }: PageDataTrack): Samples | null {
  const numbers = new Float64Array(bytes(data, 8));
  return rows > 0 && numbers.length === rows*columns.length ? new Samples(name, { columns, units, rows, data: numbers }) : null;
}

function framesOf(track: PageDataTrack, samples: Samples, scene: DrawReport): Frames | null {
  const width = 12*scene.poses.length + 3*scene.points.length, stride = track.stride ?? 1;
  if (!track.poses) return null;
  const numbers = new Float32Array(bytes(track.poses, 4)), rows = numbers.length/width;
  if (!Number.isInteger(rows) || !rows) return null;
  const time = Float64Array.from({ length: rows }, (_, i) => samples.time[Math.min(i*stride, samples.rows - 1)]!);
  return new Frames(time, numbers, width, 0, scene);
}

export function readTracks(data: Content, view: View, curves: Curves): void {
  const tracks = (data.tracks ?? []).map((track) => ({ track, samples: samplesOf(track) })).filter((t): t is { track: PageDataTrack; samples: Samples } => t.samples !== null);
  curves.tracks = tracks.map(({ samples }) => samples);
  const at = (scene: DrawReport) => tracks.flatMap(({ track, samples }) => {
    const frames = framesOf(track, samples, scene);
    return frames ? [{ name: track.name, scene, frames }] : [];
  });
  let known = "", list: OtherMotion[] = [];
  view.others = (scene) => {
    const signature = JSON.stringify([scene.poses, scene.points]);
    if (signature !== known) list = at(scene);
    known = signature;
    return list;
  };
}
