// SPDX-License-Identifier: Apache-2.0

/** Who wants to know what, by name. */
export class Emitter<Events extends Record<string, unknown>> {
  private readonly listeners = new Map<keyof Events, ((value: never) => void)[]>();

  /** The result ends it. */
  on<K extends keyof Events>(event: K, listener: (value: Events[K]) => void): () => void {
    const one = listener as (value: never) => void;
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), one]);
    return () => this.listeners.set(event, (this.listeners.get(event) ?? []).filter((other) => other !== one));
  }

  protected emit<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of this.listeners.get(event) ?? []) listener(value as never);
  }
}
