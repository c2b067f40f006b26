// SPDX-License-Identifier: Apache-2.0
// The engine in JavaScript: compiled once, instantiated for every call, so that nothing is left over from the one before.
// Works in pages, workers and Node; needs no network and no files. Reference: README.md.

const PAGE = 65536;
const FIRST_PAGES = 64; // as the link says (cmake/PfaffWasm.cmake)
const NOT_SUPPORTED = 52, BAD_DESCRIPTOR = 8, NO_SEEK = 70; // errno of WASI

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** JSON has no numbers that are not finite and no halves of characters: the first go as texts, which the engine refuses by name. */
const inJson = (_key, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value)
  : typeof value === "string" ? decoder.decode(encoder.encode(value)) : value);

/** The module in motion: memory, texts in and out of it, what the host does for it. */
class Instance {
  constructor(module, { files = {}, seconds = Infinity, megabytes = 512, stop } = {}) {
    this.files = {};
    for (const [name, content] of Object.entries(files)) this.files[name] = typeof content === "string" ? encoder.encode(content) : content;
    this.complaint = ""; // of the C library, as of an assertion that fails
    this.report = null;
    this.tables = {};
    this.written = {};
    this.deadline = performance.now() + 1000*seconds;
    this.asked = stop;
    this.questions = 0;
    this.memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: Math.max(FIRST_PAGES, Math.ceil(megabytes*16)) });
    this.exports = new WebAssembly.Instance(module, this.imports(module)).exports;
    this.exports._initialize();
  }

  imports(module) {
    const all = { env: { memory: this.memory }, pfaff: this.host(), wasi_snapshot_preview1: this.system() };
    for (const { module: group, name } of WebAssembly.Module.imports(module)) all[group][name] ??= () => NOT_SUPPORTED;
    return all;
  }

  host() {
    return {
      size: (path) => this.files[this.text(path)]?.length ?? -1,
      read: (path, at) => this.bytes.set(this.files[this.text(path)], at),
      report: (values, text) => { this.report = { values: JSON.parse(this.text(values)), text: this.text(text) }; },
      table: (path, at, rows, count, names, units) => {
        this.tables[this.text(path)] = { columns: this.texts(names, count), units: this.texts(units, count), rows, at };
      },
      file: (path, at, count) => { this.written[this.text(path)] = this.bytes.slice(at, at + count); },
      stop: () => (this.questions++ % 16 === 0 && (performance.now() > this.deadline || this.asked?.()) ? 1 : 0),
    };
  }

  /** The little of WASI that the C library asks for. */
  system() {
    return {
      fd_write: (fd, vectors, count, written) => {
        if (fd !== 2) return BAD_DESCRIPTOR;
        let sum = 0;
        for (let i = 0; i < count; i++) {
          const at = this.view.getUint32(vectors + 8*i, true), size = this.view.getUint32(vectors + 8*i + 4, true);
          this.complaint += decoder.decode(this.bytes.subarray(at, at + size));
          sum += size;
        }
        this.view.setUint32(written, sum, true);
        return 0;
      },
      fd_fdstat_get: () => BAD_DESCRIPTOR, // no terminal
      fd_prestat_get: () => BAD_DESCRIPTOR,
      fd_seek: () => NO_SEEK,
      fd_close: () => 0,
      clock_time_get: (clock, precision, at) => {
        const now = clock === 0 ? Date.now() : performance.now();
        this.view.setBigUint64(at, BigInt(Math.round(now*1e6)), true);
        return 0;
      },
      environ_sizes_get: (count, size) => (this.view.setUint32(count, 0, true), this.view.setUint32(size, 0, true), 0),
      environ_get: () => 0,
      proc_exit: (code) => { throw new Error(`the engine has ended with ${code}`); },
    };
  }

  // memory may have grown since the last look
  get bytes() { return new Uint8Array(this.memory.buffer); }
  get view() { return new DataView(this.memory.buffer); }

  text(at) {
    const bytes = this.bytes;
    return at ? decoder.decode(bytes.subarray(at, bytes.indexOf(0, at))) : null;
  }

  texts(at, count) {
    return Array.from({ length: count }, (_, i) => this.text(this.view.getUint32(at + 4*i, true)));
  }

  put(text) {
    const bytes = encoder.encode(text), at = this.exports.malloc(bytes.length + 1);
    if (!at) throw new Error("no memory");
    this.bytes.set(bytes, at);
    this.bytes[at + bytes.length] = 0;
    return at;
  }

  numbers(at, count) { return new Float64Array(this.memory.buffer, at, count); }

  table({ columns, units, rows, at }) {
    return { columns, units, rows, data: this.numbers(rows ? at : 0, rows*columns.length) };
  }
}

/** A trap (no stack, an assertion that fails) as an error, with the last words of the C library. */
function trapped(error, instance) {
  const last = instance?.complaint.trim();
  return new Error(`the engine has stopped: ${error.message}${last ? ` (${last})` : ""}`, { cause: error });
}

const NO_MEMORY = { diagnostics: [{ severity: "error", code: "memory", message: "out of memory", hint: null, setting: null, file: null, line: 0, column: 0, length: 0 }] };

/** Options are settings by their names, and values by names of the model. */
function requestOf(task, text, { param, state, input, ...settings } = {}) {
  return { task, text, name: "model.pf", param, state, input, settings };
}

export class Engine {
  constructor(module) { this.module = module; }

  /**
   * One task by its request, as README.md and `pf_request_read` (pfaff/request.h) have it: {task: "run", text, settings: {for: 5},
   * param: {m: 7}}. The report as an object and as text, with the tables and files that were written; `status` is 0 when all went well.
   */
  request(request, limits) {
    const instance = new Instance(this.module, limits);
    try {
      const bytes = encoder.encode(JSON.stringify(request, inJson)), at = instance.exports.malloc(bytes.length || 1);
      if (!at) return { status: 1, report: NO_MEMORY, text: "", tables: {}, files: {} };
      instance.bytes.set(bytes, at);
      const status = instance.exports.pfaff(at, bytes.length), { values, text } = instance.report ?? { values: NO_MEMORY, text: "" };
      const tables = Object.fromEntries(Object.entries(instance.tables).map(([name, one]) => [name, instance.table(one)]));
      return { status, report: values, text, tables, files: instance.written };
    } catch (error) {
      throw trapped(error, instance);
    }
  }

  /** The report of a task on a text: engine.task("derive", text, {form: "maggi"}). */
  task(task, text, options, limits) {
    return this.request(requestOf(task, text, options), limits).report;
  }

  check(text, options, limits) { return this.task("check", text, options, limits); }
  derive(text, options, limits) { return this.task("derive", text, options, limits); }
  evaluate(text, options, limits) { return this.task("eval", text, options, limits); }
  compare(text, options, limits) { return this.task("compare", text, options, limits); }
  linearize(text, options, limits) { return this.task("linearize", text, options, limits); }
  scene(text, options, limits) { return this.task("draw", text, options, limits); }

  /** A run: its report without rows, its samples and where the shapes of the scene are. The numbers are views on memory that this run alone has. */
  run(text, options = {}, limits = {}) {
    const request = requestOf("run", text, { ...options, "no-rows": true, out: "samples.csv", poses: "poses.csv" });
    const { status, report, tables } = this.request(request, limits);
    return { ...report, status, samples: tables["samples.csv"] ?? null, poses: tables["poses.csv"] ?? null };
  }

  /** A simulation to be moved step by step (pfaff/sim.h). Throws when the model is wrong. */
  open(text, limits) { return new Simulation(new Instance(this.module, limits), text); }
}

const ERROR_SIZE = 4 + 512 + 256 + 256 + 8 + 40; // PfError

export class Simulation {
  constructor(instance, text) {
    this.instance = instance;
    const { exports } = instance, error = exports.malloc(ERROR_SIZE);
    this.sim = exports.pf_sim_open_text(instance.put(text), error);
    if (!this.sim) throw this.errorAt(error);
    this.room = exports.malloc(8);
    this.size = 1;
  }

  errorAt(at) {
    const { instance } = this, error = new Error(instance.text(at + 4));
    const place = at + 4 + 512 + 256 + 256;
    error.hint = instance.text(at + 4 + 512);
    error.line = instance.view.getInt32(place, true), error.column = instance.view.getInt32(place + 4, true);
    return error;
  }

  with(name, ...rest) {
    const { exports } = this.instance, texts = [name, ...rest.filter((one) => typeof one === "string")];
    const at = texts.map((one) => this.instance.put(one));
    return [at, () => at.forEach((one) => exports.free(one))];
  }

  need(good) {
    if (!good) throw this.errorAt(this.instance.exports.pf_sim_error(this.sim));
  }

  /** A parameter, a start, an input: a number in SI, or a constant with its unit, as "5 [g]". */
  set(name, value) {
    const { exports } = this.instance, [at, done] = this.with(name, value);
    const good = typeof value === "string" ? exports.pf_sim_set_text(this.sim, at[0], at[1]) : exports.pf_sim_set(this.sim, at[0], value);
    done();
    this.need(good);
  }

  start() { this.need(this.instance.exports.pf_sim_start(this.sim)); }
  /** To the time t; false when the motion ends earlier. */
  advance(t) { return this.instance.exports.pf_sim_advance(this.sim, t) !== 0; }
  step() { return this.instance.exports.pf_sim_step(this.sim) !== 0; }
  get time() { return this.instance.exports.pf_sim_time(this.sim); }

  /** A handle for a quantity: "theta", "x'", "kinetic", "pos(wheel)", "pose board" … */
  find(quantity) {
    const { exports } = this.instance, [at, done] = this.with(quantity);
    const handle = exports.pf_sim_find(this.sim, at[0]);
    done();
    this.need(handle >= 0);
    return handle;
  }

  get(handle) { return this.instance.exports.pf_sim_get(this.sim, handle); }
  put(handle, value) { return this.instance.exports.pf_sim_put(this.sim, handle, value) !== 0; }

  /** All numbers of a quantity: a view that the next read overwrites. */
  read(handle) {
    const { exports } = this.instance, size = exports.pf_sim_size(this.sim, handle);
    if (size > this.size) {
      exports.free(this.room);
      this.room = exports.malloc(8*size);
      this.size = size;
    }
    this.need(exports.pf_sim_read(this.sim, handle, this.room));
    return this.instance.numbers(this.room, size);
  }

  close() {
    this.instance.exports.pf_sim_close(this.sim);
    this.sim = 0;
  }
}

/** From bytes, a Response, or a module that is compiled already (which can be posted to a worker). */
export async function load(source) {
  const given = await source;
  if (given instanceof WebAssembly.Module) return new Engine(given);
  const bytes = typeof Response !== "undefined" && given instanceof Response ? await given.arrayBuffer() : given;
  return new Engine(await WebAssembly.compile(bytes));
}
