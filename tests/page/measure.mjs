// SPDX-License-Identifier: Apache-2.0
// Figures of pages, printed: run.mjs PFAFF SOURCE PAGES measure.mjs
// A browser without a graphics card draws by the processor: frames are fewer than with one.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Reader, exampleFile, examplePage, launch, makePage, model, pages, place, program, programPage, source } from "./browser.mjs";

const EXAMPLES = ["snakeboard", "bicycle", "hand", "spacecraft", "leaning_disc", "ball_in_bowl", "carriage_mecanum", "chaplygin_sleigh", "capture", "x2"];
const ms = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** From the address to the first motion on the screen. */
async function opened(browser, path) {
  const began = performance.now(), reader = await Reader.open(browser, path, { reducedMotion: "no-preference" });
  return [performance.now() - began, reader];
}

function nativeMilliseconds(name, every) {
  const words = ["run", "--json", "--no-rows", "--every", String(every), exampleFile(name)];
  return median(Array.from({ length: 3 }, () => 1000*JSON.parse(execFileSync(program, words, { maxBuffer: 1 << 28 })).wall_seconds));
}

/** What the page says of its run: "… steps in 12 ms". */
async function pageMilliseconds(reader) {
  await reader.tab(2);
  return Number(/in ([\d.e+-]+) ms/.exec(await reader.page.textContent(".facts"))?.[1]);
}

const framesPerSecond = (reader, seconds) => reader.page.evaluate((n) => new Promise((resolve) => {
  let frames = 0;
  const began = performance.now(), next = (now) => { frames++; now - began < 1000*n ? requestAnimationFrame(next) : resolve(1000*frames/(now - began)); };
  requestAnimationFrame(next);
}), seconds);

/** Bodies in a row, each hinged on the one before. */
function chain(n) {
  const bodies = Array.from({ length: n }, (_, i) => `body b${i + 1} in ${i ? `b${i}` : "ground"} ${i ? "at (0.1, 0, 0) " : ""}turn q[${i + 1}] about z { mass 0.1 [kg], com (0.05, 0, 0), inertia diag(1e-5, 1e-4, 1e-4) }`);
  return `model chain "A chain of ${n} bodies"\ncoord q[${n}] [rad]\ngravity (0, -9.81, 0)\n${bodies.join("\n")}\nstart q[1] = 0.5\nrun 2\nplot q[1], q[${n}]\n`;
}

const browser = await launch();
try {
  for (const name of ["page.html", "playground.html"]) console.log(`${name}: ${statSync(join(pages, name)).size} bytes`);
  console.log("example               opens   computes  natively  frames/s");
  for (const name of EXAMPLES) {
    const [time, reader] = await opened(browser, examplePage(name));
    const rate = await framesPerSecond(reader, 1);
    const every = (await reader.csv()).rows[1][0];
    console.log(`${name.padEnd(20)}${ms(time).padStart(8)}${ms(await pageMilliseconds(reader)).padStart(10)}${ms(nativeMilliseconds(name, every)).padStart(10)}${rate.toFixed(0).padStart(8)}`);
    await reader.close();
  }
  const [time, reader] = await opened(browser, makePage("chain", { file: "chain.pf", text: chain(100) }));
  console.log(`100 bodies: opens in ${ms(time)}, computes in ${ms(await pageMilliseconds(reader))}, ${(await reader.tab(0), await framesPerSecond(reader, 2)).toFixed(0)} frames/s; ${await reader.problem() ?? "no problem"}`);
  await reader.close();
  const csv = join(place, "long.csv");
  execFileSync(program, ["run", "--every", "2e-4", "--out", csv, join(source, "examples", "skates/chaplygin_sleigh.pf")], { stdio: "pipe" });
  const [long, last] = await opened(browser, programPage("long", [csv, join(source, "examples", "skates/chaplygin_sleigh.pf")]));
  console.log(`100,001 samples in a trajectory: opens in ${ms(long)}, ${statSync(join(place, "long.html")).size} bytes`);
  const numbers = Float64Array.from({ length: 700_000 }, (_, k) => (k%7 === 0 ? k/7*2e-4 : Math.sin(k*1e-4*(k%7))));
  const whole = { name: "whole", columns: ["t", "x", "y", "theta", "x'", "y'", "theta'"], units: ["s", "m", "m", "rad", "m/s", "m/s", "rad/s"], rows: 100_000, of: 100_000, data: Buffer.from(numbers.buffer).toString("base64"), poses: null };
  await last.close();
  const [all, end] = await opened(browser, makePage("whole", { file: "c.pf", text: model("chaplygin_sleigh"), tracks: [whole] }));
  console.log(`100,000 samples, not reduced: opens in ${ms(all)}, ${(await framesPerSecond(end, 1)).toFixed(0)} frames/s`);
  await end.close();
} finally {
  await browser.close();
}
