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
// a page has 1.5 MB for everything; studies in units of their own and reports with tables have made it 3 percent larger
expect("the module is small", packed < (optimised ? 570 : 620)*1024, packed);

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
  expect(`${name} runs`, run.code === 0, JSON.stringify(run.diagnostics));
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
  const files = { "model.pf": text }, written = engine.call(["derive", "--out", "x.tex", "model.pf"], { files });
  expect("files go to the host", written.code === 0 && new TextDecoder().decode(written.files["x.tex"]).includes("align"), written.err);
  for (const words of [["plot", "model.pf"], ["study", "linearize", "--out", "x.svg", "model.pf"], ["draw", "--out", "x.svg", "model.pf"]])
    expect(`${words[0]} says what is left out`, engine.call(words, { files }).err.includes("left out of this build"));
  expect("LaTeX is text", engine.call(["derive", "--latex", "model.pf"], { files: { "model.pf": text } }).out.includes("\\begin{align}"));
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
  expect("a file that is not there", engine.call(["check", "none.pf"]).err.includes("there is no 'none.pf'"));
  expect("wrong usage is told", engine.json("run", "", { by: "euler" }).diagnostics.length > 0);
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
  const run = engine.run(text, { param: { F: 2 }, at: "1" }), at = run.samples.columns.indexOf("x");
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
scenes();
mistakes();
simulation();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
