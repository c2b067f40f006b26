// SPDX-License-Identifier: Apache-2.0
// The engine in a thread of its own: bytes of the module first, then requests, one after another.
import { load, type Engine } from "../../../wasm/pfaff.mjs";
import type { Reply, Request } from "./client";

let engine: Promise<Engine> | undefined;

/** Tables are views on the memory of the call: copies go out. */
function owned(result: Record<string, unknown>): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const name of ["samples", "poses"]) {
    const table = result[name] as { data: Float64Array } | null;
    if (!table) continue;
    table.data = table.data.slice();
    buffers.push(table.data.buffer as ArrayBuffer);
  }
  return buffers;
}

function answer(e: Engine, { task, text, options, limits }: Request): [unknown, ArrayBuffer[]] {
  if (task !== "run") return [e.task(task, text, options, limits), []];
  const began = performance.now(), result = e.run(text, options, limits) as Record<string, unknown>;
  result.milliseconds = performance.now() - began;
  return [result, owned(result)];
}

self.onmessage = async ({ data }: MessageEvent<ArrayBuffer | Request>) => {
  if (data instanceof ArrayBuffer) {
    engine = load(data);
    return;
  }
  try {
    const [value, buffers] = answer(await engine!, data);
    const reply: Reply = { id: data.id, value };
    (self as unknown as Worker).postMessage(reply, buffers);
  } catch (error) {
    const reply: Reply = { id: data.id, error: (error as Error).message };
    (self as unknown as Worker).postMessage(reply);
  }
};
