// SPDX-License-Identifier: Apache-2.0
// Trajectories that come with the page, beside what it computes.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Reader, examplePage, launch, place, program, programPage, source } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const file = join(source, "examples", "skates/chaplygin_sleigh.pf");
const curves = (reader) => reader.page.$$eval(".u-wrap canvas", (list) => list.map((canvas) => canvas.toDataURL()));

function trajectory(name, words) {
  const path = join(place, `${name}.csv`);
  execFileSync(program, ["run", ...words, "--out", path, file], { stdio: "pipe" });
  return path;
}

async function look(path) {
  const reader = await Reader.open(browser, path);
  await reader.scrub(0.08);
  return [reader, await curves(reader), await reader.picture()];
}

it("several trajectories are overlaid: curves and machines", async () => {
  const one = trajectory("quick", ["-s", "theta'=1", "--every", "0.01"]), two = trajectory("slow turn", ["-s", "theta'=-0.6", "--every", "0.05"]);
  const [alone, aloneCurves, alonePicture] = await look(examplePage("chaplygin_sleigh"));
  const [first, firstCurves, firstPicture] = await look(programPage("one", [one, file]));
  const [both, bothCurves, bothPicture] = await look(programPage("both", [one, two, file]));
  assert.equal(new Set([aloneCurves[0], firstCurves[0], bothCurves[0]]).size, 3, "each has its curve");
  assert.equal(new Set([alonePicture, firstPicture, bothPicture]).size, 3, "each has its machine");
  assert.match(await both.page.textContent("body"), /slow turn/, "and its name");
  assert.equal((await both.csv()).rows.length, (await alone.csv()).rows.length, "the table is of this run");
  for (const reader of [alone, first, both]) await reader.close();
});

it("they are in the saved page as well", async () => {
  const [reader, shown] = await look(programPage("kept", [trajectory("kept", ["-s", "theta'=1", "--every", "0.01"]), file]));
  const [saved, again] = await look((await reader.download(() => reader.page.click("button:has-text('save page')"))).path);
  assert.deepEqual(again, shown);
  await reader.close();
  await saved.close();
});
