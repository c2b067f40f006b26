// SPDX-License-Identifier: Apache-2.0
// Requests to the engine. It runs in a worker made from the page itself; whoever asks anew need not wait for what nobody wants any more.
import workerText from "worker:engine/worker.ts";
import type { Options, RunReport } from "../types";

export interface Limits {
  seconds?: number;
  megabytes?: number;
}

/** Rows of numbers: row i, column j is data[i*columns.length + j]. */
export interface Table {
  columns: string[];
  units: string[];
  rows: number;
  data: Float64Array | Float32Array;
}

/** A run: its report without rows, and its tables. */
export interface RunResult extends RunReport {
  status: number;
  samples: Table | null;
  poses: Table | null;
  milliseconds: number;
}

export interface Request {
  id: number;
  task: string;
  text: string;
  options: Options;
  limits: Limits;
}

export interface Reply {
  id: number;
  value?: unknown;
  error?: string;
}

/** The request was given up for a newer one, or by the reader. */
export class Cancelled extends Error {}

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

const workerUrl = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));

/** One worker. It is replaced when it has to stop at once. */
export class EngineClient {
  private worker: Worker | null = null;
  private next = 1;
  private waiting = new Map<number, Waiting>();

  constructor(private readonly bytes: Promise<ArrayBuffer>) {}

  private async start(): Promise<Worker> {
    const bytes = await this.bytes;
    if (this.worker) return this.worker;
    const worker = new Worker(workerUrl);
    worker.postMessage(bytes);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.settle(data);
    worker.onerror = (event) => this.stop(new Error(event.message || "the engine could not start"));
    this.worker = worker;
    return worker;
  }

  private settle({ id, value, error }: Reply): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error !== undefined) waiting?.reject(new Error(error));
    else waiting?.resolve(value as never);
  }

  get busy(): boolean {
    return this.waiting.size > 0;
  }

  /** Ends what is going on, at once. */
  stop(reason: Error = new Cancelled("stopped")): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
  }

  async ask<T>(task: string, text: string, options: Options = {}, limits: Limits = {}): Promise<T> {
    const worker = await this.start(), id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, task, text, options, limits } satisfies Request);
    });
  }
}

/** Of many wishes only the newest counts: one at a time, and what takes long is given up when there is a newer one. */
export class Latest<T> {
  private running = false;
  private pending: (() => Promise<T>) | null = null;
  private began = 0;
  private timer = 0;

  constructor(private readonly engine: EngineClient, private readonly done: (value: T) => void, private readonly failed: (error: Error) => void,
    private readonly patience = 300) {}

  want(work: () => Promise<T>): void {
    this.pending = work;
    if (!this.running) void this.go();
    else {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.running && this.pending && this.engine.stop(), Math.max(0, this.began + this.patience - performance.now()));
    }
  }

  /** Is there a newer wish than the one that goes on? */
  get wanted(): boolean {
    return this.pending !== null;
  }

  cancel(): void {
    this.pending = null;
    if (this.running) this.engine.stop();
  }

  private async go(): Promise<void> {
    this.running = true;
    while (this.pending) {
      const work = this.pending;
      this.pending = null;
      this.began = performance.now();
      try {
        this.done(await work());
      } catch (error) {
        if (!(error instanceof Cancelled) || !this.pending) this.failed(error as Error);
      }
    }
    this.running = false;
  }
}
