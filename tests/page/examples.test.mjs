// SPDX-License-Identifier: Apache-2.0
// The pages of ten examples, driven as readers do.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { join } from "node:path";
import { Reader, assertSame, difference, exampleFile, examplePage, launch, model, native } from "./browser.mjs";

const FORMS = ["multipliers", "rosenberg", "rosenberg_extended", "udwadia_kalaba", "maggi", "laconic"];

/** Two numbers to change: [option of the command line, name, value], moved and typed. */
const EXAMPLES = {
  snakeboard: { slide: ["-p", "m", 7.25], type: ["-s", "psi", 0.31] },
  bicycle: { slide: ["-p", "v", 5.5], type: ["-p", "mR", 2.5] },
  hand: { slide: ["-p", "mo", 0.21], type: ["-p", "c", 0.0003] },
  spacecraft: { slide: ["-s", "left[1]", 0.4], type: ["-s", "right[2]'", 0.07] },
  leaning_disc: { slide: ["-p", "lean", 0.15], type: ["-p", "spin", 18.5] },
  ball_in_bowl: { slide: ["-p", "speed_y", 0.8], type: ["-p", "m", 0.4] },
  carriage_mecanum: { slide: ["-p", "U[1]", 5], type: ["-p", "M", 22] },
  chaplygin_sleigh: { slide: ["-p", "a", 0.3], type: ["-s", "theta'", 0.3] },
  capture: { slide: ["-s", "elbow", 0.6], type: ["-s", "shoulder", -0.3], events: true },
  x2: { slide: ["-p", "p", 0.5], type: ["-s", "q1", 0.1], drawn: false },
};

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function machineMoves(reader, drawn) {
  await reader.tab(0);
  const pictures = [], cursors = [];
  for (const part of [0.1, 0.6]) {
    await reader.scrub(part);
    if (drawn) pictures.push(await reader.picture());
    cursors.push(await reader.cursors());
  }
  if (drawn) assert.notEqual(pictures[0], pictures[1], "the machine moves");
  else assert.match(await reader.page.textContent(".view .word"), /no bodies/);
  return cursors;
}

function cursorsMove([early, late], width) {
  assert.ok(early.length > 0, "there are curves over time");
  early.forEach((x, i) => assert.ok(late[i] > x + 0.4*width, `the cursor goes from ${x} to ${late[i]} of ${width}`));
}

/** The line of the text beside which the gutter has a mark. */
const markedLines = (page) => page.evaluate(() => {
  const top = (element) => Math.round(element.getBoundingClientRect().top), numbers = [...document.querySelectorAll(".cm-lineNumbers .cm-gutterElement")];
  return [...document.querySelectorAll(".cm-lint-marker-error")].map((mark) => {
    const row = top(mark.closest(".cm-gutterElement"));
    return numbers.find((number) => number.style.visibility !== "hidden" && top(number) === row)?.textContent;
  });
});

async function errorShowsAtItsLine(reader, text) {
  const lines = text.split("\n");
  await reader.write([...lines.slice(0, 2), "force nowhere = = 1", ...lines.slice(2)].join("\n"));
  assert.match(await reader.problem(), /^line 3 /);
  assert.match(await reader.page.textContent(".diagnostics .error"), /^line 3 /);
  await reader.page.$eval(".editor .text .cm-scroller", (scroller) => { scroller.scrollTop = 0; });
  await reader.page.$eval(".editor .text", (box) => { box.scrollTop = 0; });
  await reader.page.waitForTimeout(60);
  assert.deepEqual(await markedLines(reader.page), ["3"]);
  await reader.write(text);
  assert.equal(await reader.problem(), null);
  assert.equal(await reader.page.$$eval(".diagnostics .error", (list) => list.length), 0);
}

/** Equations as MathML with something in it, or why there are none. */
async function formsSwitch(reader) {
  const seen = new Set();
  await reader.tab(1);
  for (const form of FORMS) {
    await reader.page.selectOption("select.form", form);
    await reader.page.waitForFunction(() => !/^(deriving|computing)/.test(document.querySelector(".formulas").textContent) && document.querySelector(".formulas").textContent, null, { timeout: 30_000 });
    const { formulas, empty, words, text } = await reader.page.$eval(".formulas", (place) => ({
      formulas: [...place.querySelectorAll(".formula")].filter((f) => f.querySelector("math, code")).length,
      empty: [...place.querySelectorAll("math")].filter((m) => m.querySelectorAll("mi, mn").length < 2).length,
      words: [...place.querySelectorAll("p.error, p.warning, p.note")].map((p) => p.textContent), text: place.textContent,
    }));
    assert.ok(formulas > 0 || words.some((word) => word.length > 10), `${form}: equations, or a word: ${text.slice(0, 80)}`);
    assert.equal(empty, 0, `${form}: an empty formula`);
    seen.add(text);
  }
  assert.ok(seen.size >= 2, "the forms are not all the same");
}

for (const [name, { slide, type, drawn = true, events = false }] of Object.entries(EXAMPLES)) {
  describe(name, () => {
    // as often as the page samples: its second row
    const file = exampleFile(name), every = () => ["--every", first.rows[1][0]], word = ([option, what, value]) => [option, `${what}=${value}`];
    let reader, first;
    before(async () => { reader = await Reader.open(browser, examplePage(name)); });

    it("moves, and the cursor with it", async () => {
      const cursors = await machineMoves(reader, drawn), width = await reader.page.$eval(".u-over", (over) => over.clientWidth);
      cursorsMove(cursors, width);
      assert.ok(!events || await reader.page.$$eval(".mark", (marks) => marks.length) > 0, "events are on the axis of time");
    });

    it("has the trajectory of the program as CSV", async () => {
      first = await reader.csv();
      assertSame(first, native(file, every()), "as it is");
    });

    it("computes what the program computes with another number", async () => {
      await reader.slide(slide[1], slide[2]);
      const moved = await reader.csv();
      assertSame(moved, native(file, [...every(), ...word(slide)]), "slider");
      assert.ok(moved.rows.length !== first.rows.length || difference(moved, first) > 1e-6, "the slider changes the curve");
      await reader.type(type[1], type[2]);
      assertSame(await reader.csv(), native(file, [...every(), ...word(slide), ...word(type)]), "typed");
      await reader.after(() => reader.page.click("button:has-text('reset all')"));
      assertSame(await reader.csv(), first, "reset", 0);
    });

    it("switches between forms of equations", () => formsSwitch(reader));

    it("shows an error at its line, and goes on when it is mended", async () => {
      await errorShowsAtItsLine(reader, model(name));
      await machineMoves(reader, drawn);
      assertSame(await reader.csv(), first, "mended", 0);
    });

    it("complains of nothing and asks for nothing", () => reader.close());
  });
}
