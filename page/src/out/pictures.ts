// SPDX-License-Identifier: Apache-2.0
// The scene as a picture, as an animated GIF or as a film.
import { GIFEncoder, applyPalette, quantize } from "gifenc";
import { download } from "../dom";
import type { Stage } from "../scene/stage";
import type { Session } from "../session";

export function savePng(stage: Stage, name: string): void {
  stage.render();
  stage.renderer.domElement.toBlob((blob) => blob && download(name, blob, "image/png"), "image/png");
}

const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** One round of the motion, at most `seconds` of the clock, as wide as `width`. */
export async function saveGif(stage: Stage, session: Session, name: string, progress: (part: number) => void, width = 480, rate = 20, seconds = 12): Promise<void> {
  const { motion } = session, source = stage.renderer.domElement;
  if (!motion) return;
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d", { willReadFrequently: true })!, gif = GIFEncoder();
  canvas.width = width;
  canvas.height = Math.round(width*source.height/source.width);
  const span = (motion.end - motion.begin)/session.speed, frames = Math.max(2, Math.round(rate*Math.min(seconds, span)));
  for (let i = 0; i < frames; i++) {
    stage.place(motion.begin + (motion.end - motion.begin)*i/frames);
    context.drawImage(source, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height), palette = quantize(data, 128);
    gif.writeFrame(applyPalette(data, palette), canvas.width, canvas.height, { palette, delay: 1000/rate });
    progress((i + 1)/frames);
    await nextTurn();
  }
  gif.finish();
  stage.place(session.time);
  download(name, gif.bytes() as BlobPart, "image/gif");
}

/** The motion as it is played, from its beginning to its end. */
export function saveFilm(stage: Stage, session: Session, name: string): string | null {
  const { motion } = session, canvas = stage.renderer.domElement;
  const type = ["video/webm;codecs=vp9", "video/webm"].find((one) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(one));
  if (!motion || !type) return "this browser cannot record films";
  const recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 8e6 }), parts: Blob[] = [], { loop } = session;
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => download(name, new Blob(parts), "video/webm");
  session.loop = false;
  session.seek(motion.begin);
  recorder.start();
  session.play(true);
  const end = session.on("playing", (on) => {
    if (on) return;
    end();
    session.loop = loop;
    setTimeout(() => recorder.stop(), 100);
  });
  return null;
}
