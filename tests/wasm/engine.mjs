// SPDX-License-Identifier: Apache-2.0
// The WebAssembly module against the program: engine.mjs PFAFF SOURCE MODULE
// Every example runs in both; the numbers of the module must be those of the program.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [program, source, file] = process.argv.slice(2);
const { load } = await import(pathToFileURL(join(source, "wasm", "pfaff.mjs")));
const place = mkdtempSync(join(tmpdir(), "pfaff-wasm-"));
process.on("exit", () => rmSync(place, { recursive: true }));
let passed = 0, failed = 0;

function expect(what, good, detail = "") {
  if (good) passed++;
  else failed++;
  if (!good) console.log(`FAILED: ${what}: ${detail}`);
}

const bytes = readFileSync(file);
const began = performance.now();
const engine = await load(bytes);
const models = readdirSync(join(source, "examples"), { recursive: true }).filter((path) => path.endsWith(".pf")).sort();
const fileOf = (name) => join(source, "examples", models.find((path) => basename(path, ".pf") === name));
const model = (name) => readFileSync(fileOf(name), "utf8");
const loaded = performance.now() - began;
engine.check(model("snakeboard"));
const packed = gzipSync(bytes, { level: 9 }).length;
console.log(`${bytes.length} bytes, ${packed} compressed; loaded in ${loaded.toFixed(0)} ms, first answer ${(performance.now() - began - loaded).toFixed(0)} ms later`);
const optimised = spawnSync("wasm-opt", ["--version"]).status === 0; // the build uses it where it is installed
// a page has 1.5 MB for everything
expect("the module is small", packed < (optimised ? 625 : 675)*1024, packed);

// ------------------------------------------------------------------------------------------ the examples

/** CSV as the program writes it: a head with units, then numbers. */
function readCsv(path) {
  const [, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => line.split(",").map((word) => (word.endsWith("nan") ? NaN : Number(word))));
}

/** The largest difference of a column in parts of its largest number, or of a small part of the largest number of its unit: what
 * is zero but for rounding is compared with what it is the rounding of. */
function difference(table, rows) {
  const width = table.columns.length, most = new Map();
  const size = (j) => rows.reduce((sum, row) => Math.max(sum, Math.abs(row[j]) || 0), 0);
  const sizes = table.columns.map((_, j) => size(j));
  table.units.forEach((unit, j) => most.set(unit, Math.max(most.get(unit) ?? 0, sizes[j])));
  let worst = 0, where = "";
  for (let j = 0; j < width; j++) {
    const scale = Math.max(sizes[j], 1e-2*most.get(table.units[j]), table.columns[j].startsWith("violation") ? 1 : 1e-3);
    for (let i = 0; i < rows.length; i++) {
      const a = table.data[i*width + j], b = rows[i][j], off = Number.isNaN(a) && Number.isNaN(b) ? 0 : Math.abs(a - b)/scale;
      if (!(off <= worst)) worst = off, where = `${table.columns[j]} at t = ${rows[i][0]}: ${a}, not ${b}`;
    }
  }
  return { worst, where };
}

// Another C library has other last digits of sine and cosine, and a build without FLINT other formulas. These motions make more of
// them than 1e-12 (of the first three, two formulations in the program itself differ by 3e-11 and more). The number is what is
// allowed.
const sensitive = {
  cart_pendulum: 1e-9, // chaotic
  double_pendulum_bodies: 1e-9, // chaotic
  piano_wheel: 1e-9, // leaves an unstable motion
  hand: 1e-10,
  hybrid_arm: 1e-11,
  ball_in_bowl: 1e-11,
  ball_on_surface: 1e-10,
};

function example(name) {
  const path = join(place, "x.csv"), poses = join(place, "b.csv"), wanted = sensitive[name] ?? 1e-12;
  const first = engine.run(model(name)), every = (first.t_end - first.samples?.data[0])/50;
  const words = ["run", "--every", every, "--out", path, "--poses", poses, fileOf(name)];
  try {
    execFileSync(program, words, { stdio: "pipe" });
  } catch (error) {
    if (!String(error.stderr).includes("SUNDIALS")) throw error;
    console.log(`${name}: left out, the program has no SUNDIALS`);
    return;
  }
  const start = process.cpuUsage(), run = engine.run(model(name), { every }), used = process.cpuUsage(start);
  const missing = run.diagnostics.some((one) => one.message.includes("SUNDIALS"));
  if (missing) return console.log(`${name}: left out, its method needs SUNDIALS`);
  expect(`${name} runs`, run.status === 0, JSON.stringify(run.diagnostics));
  if (!run.samples) return;
  const rows = readCsv(path), places = readCsv(poses);
  expect(`${name} has as many samples`, run.samples.rows === rows.length, `${run.samples.rows}, not ${rows.length}`);
  expect(`${name} has as many poses`, run.poses.rows === places.length, `${run.poses.rows}, not ${places.length}`);
  if (run.samples.rows !== rows.length) return;
  for (const { worst, where } of [difference(run.samples, rows), difference(run.poses, places)])
    expect(`${name} is the motion of the program`, worst <= wanted, `${worst.toExponential(1)}: ${where}`);
  if (process.env.VERBOSE) console.log(name, difference(run.samples, rows), (used.user + used.system)/1000, "ms");
}

// ------------------------------------------------------------------------------------------ the rest of the interface

/** What the program prints, without what tells the time. */
function native(...list) {
  try {
    return JSON.parse(execFileSync(program, list, { stdio: "pipe" }));
  } catch (error) {
    return JSON.parse(error.stdout);
  }
}

function near(a, b) {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= 1e-9*Math.max(1, Math.abs(a), Math.abs(b));
  if (a === null || b === null || typeof a !== "object") return a === b;
  const keys = Object.keys(a).filter((key) => !["seconds", "wall_seconds", "file", "model"].includes(key));
  return keys.every((key) => near(a[key], b[key]));
}

function commands() {
  const path = join(source, "examples", "skates/snakeboard.pf"), text = model("snakeboard");
  expect("check", near(engine.check(text), native("check", "--json", path)));
  expect("linearize", near(engine.linearize(text), native("study", "linearize", "--json", path)));
  expect("eval with changes", near(engine.evaluate(text, { param: { m: 7 }, state: { theta: 0.5 } }),
                                   native("eval", "--json", "-p", "m=7", "--state", "theta=0.5", path)));
  expect("derive", engine.derive(text, { form: "laconic" }).unknowns.length === native("derive", "--form", "laconic", "--json", path).unknowns.length);
  expect("compare", engine.compare(text).diagnostics.length === 0);
  const written = engine.request({ task: "derive", text, settings: { out: "x.tex" } });
  expect("files go to the host", written.status === 0 && new TextDecoder().decode(written.files["x.tex"]).includes("align"), written.report.diagnostics);
  for (const [task, settings] of [["plot", {}], ["linearize", { out: "x.svg" }], ["draw", { out: "x.svg" }]])
    expect(`${task} says what is left out`, engine.task(task, text, settings).diagnostics[0]?.message.includes("left out of this build"));
  expect("LaTeX is text", engine.request({ task: "derive", text, settings: { latex: true } }).text.includes("\\begin{align}"));
  const { report } = engine.request({ task: "check", files: ["board.pf"] }, { files: { "board.pf": text } });
  expect("files come from the host", report.degrees_of_freedom === 4 && report.diagnostics.length === 0, report.degrees_of_freedom);
  const steady = engine.task("equilibria", "coord x; kinetic x'^2/2; potential (x^2 - 1)^2", { starts: 20, within: "x=-2..2" });
  expect("studies", near(steady.points.map((point) => point.q[0]).sort((a, b) => a - b), [-1, 0, 1]), JSON.stringify(steady.points));
}

/** Numbers arrive as they are, texts with units too; what is wrong names its setting. */
function settings() {
  const text = "coord x; param m = 2 [kg]; kinetic m*x'^2/2; start x' = 1 [m/s]";
  const last = (options) => {
    const { samples, diagnostics } = engine.run(text, options);
    return samples ? samples.data[(samples.rows - 1)*samples.columns.length] : JSON.stringify(diagnostics);
  };
  expect("a number", last({ for: 0.1 + 0.2 }) === 0.1 + 0.2, last({ for: 0.1 + 0.2 }));
  expect("a text with a unit", last({ for: "250 [ms]" }) === 0.25, last({ for: "250 [ms]" }));
  expect("times", last({ at: [0.1, 1/3] }) === 1/3, last({ at: [0.1, 1/3] }));
  expect("null and undefined are left out", last({ for: 1, by: null, step: undefined, adaptive: false }) === 1);
  const wrong = [[{ for: NaN }, "for"], [{ for: Infinity }, "for"], [{ at: [1, NaN] }, "at"], [{ nosuch: 1 }, "nosuch"], [{ step: true }, "step"],
    [{ param: { m: NaN } }, "param"], [{ param: { n: 1 } }, null], [{ state: { x: [1, 2] } }, "state"], [{ by: "\ud800" }, null], [{ step: { a: 1 } }, "step"]];
  for (const [options, setting] of wrong) {
    const { status, diagnostics } = engine.run(text, options);
    const [first] = diagnostics;
    expect(`${JSON.stringify(options)} is refused`, status !== 0 && first.severity === "error" && (setting === null || first.setting === setting), JSON.stringify(first));
  }
  const lonely = engine.check("coord x # \ud800\nkinetic x'^2/2");
  expect("half a character in a text", lonely.degrees_of_freedom === 1, JSON.stringify(lonely.diagnostics));
  expect("a request that is none", engine.request([1]).report.diagnostics[0].message.includes("JSON object"));
}

/** A row of poses is t and the numbers of the scene. */
function scenes() {
  const name = "snakeboard_bodies", text = model(name), scene = engine.scene(text);
  expect("the scene", near(scene, native("draw", "--json", fileOf(name))) && scene.shapes.length > 3);
  const { poses } = engine.run(text, { for: 0.01 }), first = Array.from(poses.data.subarray(1, poses.columns.length));
  expect("poses are those of the scene", near(first, scene.motion[0]) && first.length === 12*scene.poses.length + 3*scene.points.length);
}

function mistakes() {
  const wrong = engine.check("coord x\nkinetic x'^2/2 + y\n").diagnostics[0];
  expect("an error has its place", wrong.severity === "error" && wrong.line === 2 && wrong.column === 18, JSON.stringify(wrong));
  expect("a file that is not there", engine.request({ task: "check", files: ["none.pf"] }).report.diagnostics[0].message.includes("there is no 'none.pf'"));
  expect("a task that is not there", engine.task("fly", "").diagnostics[0].message.includes("there is no task 'fly'"));
  expect("wrong usage is reported", engine.task("run", "", { by: "euler" }).diagnostics.length > 0);
  const text = model("piano_wheel"), start = performance.now();
  const run = engine.run(text, { for: 1e9, every: 1 }, { seconds: 0.05 }); // before the limit of steps, on any machine
  expect("a run ends at its limit of time", run.end === "stopped on request" && performance.now() - start < 20e3 && run.samples.rows > 0, run.end);
  const full = engine.run(text, { by: "rk4", step: 1e-4, for: 1e9 }, { megabytes: 16 });
  expect("a run ends at its limit of memory", full.diagnostics.some((one) => one.message.includes("memory") || one.message.includes("room")),
         JSON.stringify(full.diagnostics));
  const deep = "coord x\nkinetic " + "(".repeat(200000) + "x'" + ")".repeat(200000) + "^2/2\n";
  expect("depth is refused in words", engine.check(deep).diagnostics[0]?.severity === "error");
  expect("and the engine goes on", engine.check(text).diagnostics.length === 0);
}

function simulation() {
  const text = model("snakeboard"), sim = engine.open(text);
  sim.set("F", 2);
  sim.set("L", "20 [cm]");
  sim.start();
  const x = sim.find("x"), pair = sim.find("(x, y, 0)");
  while (sim.time < 1 && sim.advance(Math.min(1, sim.time + 0.25)));
  const run = engine.run(text, { param: { F: 2 }, at: [1] }), at = run.samples.columns.indexOf("x");
  expect("a simulation moves as a run does", Math.abs(sim.get(x) - run.samples.data[at]) < 1e-9, `${sim.get(x)}, not ${run.samples.data[at]}`);
  expect("several numbers at once", sim.read(pair)[0] === sim.get(x));
  let message = "";
  try {
    sim.find("nothing");
  } catch (error) {
    message = error.message;
  }
  expect("what is not there is told", message.includes("nothing"), message);
  sim.close();
}

const listed = readFileSync(join(source, "tests", "examples.txt"), "utf8").split("\n").filter((line) => /^[^#]/.test(line)); // more would take long
for (const line of listed) example(basename(line.split(" ")[0]));
commands();
settings();
scenes();
mistakes();
simulation();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
