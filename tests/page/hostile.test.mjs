// SPDX-License-Identifier: Apache-2.0
// Texts, names, formulas, links and trajectories that were made to do harm: nothing executes, nothing breaks.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Reader, launch, makePage, model, place, programPage } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const RUN = "window.hacked = true";
const TITLES = {
  script: `</script><script>${RUN}</script>`,
  image: `<img src=x onerror='${RUN}'>`,
  comment: `<!--<script>${RUN}</script>`,
  quotes: `'};${RUN};//`,
  entity: `&lt;/script&gt;&#60;img src=x onerror=${RUN}&#62;`,
  title: `</title><svg onload='${RUN}'>`,
  replace: "$& $1 $` $' $$",
  unicode: "перо 𝛉̈ 🛹 \u00a0\u2028\u2029",
  latex: `\\href{javascript:${RUN}}{x} $\\class{a}{b}$`,
  data: `id="pfaff-data">{}<`,
};

const FORMULAS = [
  `\\href{javascript:${RUN}}{x}`, `\\url{javascript:${RUN}}`, "\\includegraphics{https://example.org/x.png}", "\\class{evil}{x}", "\\htmlId{pfaff-data}{x}", `\\htmlStyle{background:url(https://example.org/y)}{x}`,
  `\\htmlData{onclick=${RUN}}{x}`, "\\def\\a{\\a\\a}\\a", "\\gdef\\frac{\\frac}", "\\text{</span><img src=x onerror='window.hacked=true'>}", "\\color{red;}{x}", "{{{{", "\\left(", "x".repeat(50_000),
  "\\rule{1000000em}{1000000em}", "\\unknown{x}",
];

const text = (title) => `model m "${title}"\ncoord x\nkinetic 1/2*x'^2\npotential 1/2*x^2\nstart x = 1\nrun 1\nplot x\n`;

/** Nothing of it has become a part of the document. */
async function harmless(reader, title) {
  const { page } = reader;
  for (let tab = 0; tab < 4; tab++) await reader.tab(tab);
  await page.waitForTimeout(50);
  const found = await page.evaluate(() => ({
    hacked: window.hacked ?? false, images: document.querySelectorAll("img, iframe, object, embed, .evil").length, links: document.querySelectorAll("a[href]:not([href^='blob:'])").length,
    handlers: [...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length,
    scripts: document.querySelectorAll("script").length, heading: document.querySelector("h1").textContent, data: document.querySelectorAll("#pfaff-data").length,
  }));
  const { heading, ...rest } = found;
  assert.deepEqual(rest, { hacked: false, images: 0, links: 0, handlers: 0, scripts: 5, data: 1 });
  if (title !== undefined) assert.equal(heading, title);
}

/** Two generations: the page, and the one it saves. */
async function twice(path, title) {
  const reader = await Reader.open(browser, path);
  assert.equal(await reader.problem(), null);
  await harmless(reader, title);
  const saved = await Reader.open(browser, (await reader.download(() => reader.page.click("button:has-text('save page')"))).path);
  await harmless(saved, title);
  assert.equal((await saved.csv()).rows.length, (await reader.csv()).rows.length);
  await reader.close();
  await saved.close();
}

describe("titles", () => {
  const all = Object.values(TITLES).map((title) => title.replace(/[\u2028\u2029]/g, "")).join(" ").replaceAll('"', "'");

  it("are only titles in a page of data", () => twice(makePage("title", { file: "</script>.pf", title: all, text: text(all) }), all));

  it("are only titles in a page of the program", () => {
    const file = join(place, "'<img src=x onerror=window.hacked=1>.pf");
    writeFileSync(file, text(all));
    return twice(programPage("title-program", [file]), all);
  });

  it("are only data wherever they stand", async () => {
    const list = Object.values(TITLES), tracks = list.map((title) => ({ name: title, columns: ["t", title], units: ["s", title], rows: 0, of: 0, data: "", poses: null }));
    const comments = list.map((title) => `# ${title.replace(/[\u2028\u2029]/g, "")}\n`).join("");
    const reader = await Reader.open(browser, makePage("anywhere", { file: `${list.join(" ")}.pf`, title: list.join(" "), version: list.join(" "), text: comments + text("plain"), tracks }));
    await harmless(reader, "plain");
    await reader.close();
  });

  it("and texts are only data in a gallery", async () => {
    const gallery = Object.entries(TITLES).map(([file, title]) => ({ file: `${file}${title}.pf`, text: text(title.replaceAll('"', "'")) }));
    const reader = await Reader.open(browser, makePage("gallery", { gallery }), { hash: `#example=${encodeURIComponent(gallery[0].file)}` });
    await harmless(reader);
    assert.equal(await reader.page.$$eval(".gallery option", (list) => list.length), gallery.length + 1);
    await reader.close();
  });
});

describe("formulas", () => {
  it("that are commands do nothing", async () => {
    const source = text("formulas"), equations = FORMULAS.map((latex, i) => ({ name: `<b>${i}</b>`, lhs: "<i>0", rhs: "x</i>", latex }));
    const derived = { multipliers: { form: "multipliers", unknowns: [], equations, where: [{ name: "<u>z", value: "\\href{javascript:1}{y}", latex: FORMULAS[0] }], holds_where_nonzero: ["</script>"], operations: 1, diagnostics: [] } };
    const reader = await Reader.open(browser, makePage("formulas", { file: "f.pf", text: source, derived }));
    await reader.tab(1);
    assert.equal(await reader.page.$$eval(".equation", (list) => list.length), FORMULAS.length + 1);
    await harmless(reader, "formulas");
    const wide = await reader.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(wide, "no formula makes the page wider");
    await reader.close();
  });
});

describe("links", () => {
  for (const hash of ["#p.m=1e999&t=NaN&example=</script>&%", "#p.<img>=1&p.nosuch=1", "#s.__proto__=1&p.constructor=2", "#p.m=-1&t=-1e300"])
    it(`${hash} leaves the page alive`, async () => {
      const reader = await Reader.open(browser, makePage("link", { file: "x.pf", text: model("chaplygin_sleigh") }), { hash });
      await harmless(reader, "Chaplygin sleigh");
      await reader.after(() => reader.page.click("button:has-text('reset all')"));
      assert.equal(await reader.problem(), null);
      assert.ok((await reader.csv()).rows.length > 100);
      await reader.close();
    });
});

describe("data", () => {
  const base64 = (numbers) => Buffer.from(Float64Array.from(numbers).buffer).toString("base64"), sleigh = { file: "x.pf", text: model("chaplygin_sleigh") };
  const track = (more) => ({ name: "a", columns: ["t", "x"], units: ["s", "m"], rows: 2, of: 2, data: base64([0, 1, 1, 2]), poses: null, ...more });
  const cases = {
    "an empty trajectory": { tracks: [track({ rows: 0, data: "" })] },
    "NaN in a trajectory": { tracks: [track({ data: base64([0, NaN, 1, NaN]) }), track({ data: base64([0, Infinity, 1, 3]) })] },
    "times that are NaN": { tracks: [track({ data: base64([NaN, 1, NaN, 2]) })] },
    "too few numbers": { tracks: [track({ rows: 9 })] },
    "what is not base64": { tracks: [track({ data: "*" })] },
    "poses that do not fit": { tracks: [track({ poses: base64([1, 2, 3]) })] },
    "other columns": { tracks: [track({ columns: ["t", "nowhere"] })] },
    "an empty text": { text: "" },
    "options that there are not": { run: { nosuch: 1 } },
  };
  for (const [what, data] of Object.entries(cases))
    it(`${what} leaves the page alive`, async () => {
      const reader = await Reader.open(browser, makePage("data", { ...sleigh, ...data }));
      await reader.scrub(0.5);
      await harmless(reader);
      if (data.tracks) assert.ok((await reader.csv()).rows.length > 100);
      else assert.ok((await reader.problem()).length > 10);
      await reader.close();
    });

  it("no data at all is an empty model", async () => {
    const reader = await Reader.open(browser, makePage("none", {}));
    assert.equal(await reader.problem(), null);
    await reader.close();
  });
});
