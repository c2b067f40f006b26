// SPDX-License-Identifier: Apache-2.0
// Trajectories that were put into the page when it was made: curves beside ours, and machines beside ours.
import { Frames, Samples } from "./motion";
import type { Curves } from "./panels/curves";
import type { View } from "./panels/view";
import type { Session } from "./session";
import type { PageData, SceneData, TrackData } from "./types";

function bytes(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer;
}

function samplesOf({ name, columns, units, rows, data }: TrackData): Samples | null {
  const numbers = new Float64Array(bytes(data));
  return numbers.length === rows*columns.length ? new Samples(name, { columns, units, rows, data: numbers }) : null;
}

function framesOf(track: TrackData, samples: Samples, scene: SceneData): Frames | null {
  const width = 12*scene.poses.length + 3*scene.points.length, stride = track.stride ?? 1;
  if (!track.poses) return null;
  const numbers = new Float32Array(bytes(track.poses)), rows = numbers.length/width;
  if (!Number.isInteger(rows) || !rows) return null;
  const time = Float64Array.from({ length: rows }, (_, i) => samples.time[Math.min(i*stride, samples.rows - 1)]!);
  return new Frames(time, numbers, width, 0, scene);
}

export function readTracks(data: PageData, session: Session, view: View, curves: Curves): void {
  const tracks = (data.tracks ?? []).map((track) => ({ track, samples: samplesOf(track) })).filter((t): t is { track: TrackData; samples: Samples } => t.samples !== null);
  curves.tracks = tracks.map(({ samples }) => samples);
  if (!tracks.length) return;
  session.on("motion", ({ scene }) => {
    if (!scene || view.others.length) return;
    for (const { track, samples } of tracks) {
      const frames = framesOf(track, samples, scene);
      if (frames) view.others.push({ name: track.name, scene, frames });
    }
  });
}
