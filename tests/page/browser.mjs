// SPDX-License-Identifier: Apache-2.0
// Pages in a browser, and the program beside them.
import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const { PFAFF: program, PFAFF_SOURCE: source, PFAFF_PAGE: pages, CHROMIUM: chromiumPath = "/usr/bin/chromium" } = process.env;
const { chromium } = createRequire(join(source, "page/"))("playwright-core");

export const place = mkdtempSync(join(tmpdir(), "pfaff-page-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));

const QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
const SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const NO_GL = ["--disable-gpu", "--disable-3d-apis"];

export const launch = ({ webgl = true } = {}) => chromium.launch({ executablePath: chromiumPath, args: [...QUIET, ...(webgl ? SOFTWARE_GL : NO_GL)] });

const families = readdirSync(join(source, "examples"));
export const exampleFile = (name) => families.map((family) => join(source, "examples", family, `${name}.pf`)).find(existsSync);
export const model = (name) => readFileSync(exampleFile(name), "utf8");

// ------------------------------------------------------------------------------------------ pages

/** As `pfaff page` writes it: nothing in it can end the element. */
const jsonInHtml = (value) => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A file with a page of this data (docs/page.md). */
export function makePage(name, data) {
  const path = join(place, `${name}.html`), template = readFileSync(join(pages, "page.html"), "utf8");
  const html = template.replace('id="pfaff-data">{}<', () => `id="pfaff-data">${jsonInHtml({ format: 1, ...data })}<`);
  assert.notEqual(html, template);
  writeFileSync(path, html);
  return path;
}

/** A file with a page by the program: `pfaff page`. */
export function programPage(name, words) {
  const path = join(place, `${name}.html`);
  execFileSync(program, ["page", "--template", join(pages, "page.html"), "--out", path, ...words.map(String)], { stdio: "pipe" });
  return path;
}

export const examplePage = (name, words = []) => programPage(name, [...words, exampleFile(name)]);

/** What a page must never do: complain, fail, break its policy, or ask for anything from outside. */
function watch(page) {
  const wrong = [];
  page.on("console", (message) => { if (["error", "warning", "assert"].includes(message.type())) wrong.push(`console ${message.type()}: ${message.text()}`); });
  page.on("pageerror", (error) => wrong.push(`page error: ${error.message}`));
  page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) wrong.push(`request: ${request.url()}`); });
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", () => wrong.push("a popup"));
  return wrong;
}

/** One page with the things a reader does to it. */
export class Reader {
  constructor(page) {
    this.page = page;
    this.wrong = watch(page);
  }

  static async open(browser, path, { hash = "", ready = true, ...context } = {}) {
    const reader = new Reader(await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...context }));
    await reader.page.addInitScript(() => {
      window.violations = [];
      document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
    });
    await reader.page.goto(`file://${path}${hash}`);
    if (ready) await reader.answer(0);
    return reader;
  }

  /** Closes the page, in which nothing may have gone wrong. */
  async close() {
    this.wrong.push(...await this.page.evaluate(() => window.violations));
    await this.page.close();
    assert.deepEqual(this.wrong, []);
  }

  answers() {
    return this.page.evaluate(() => Number(document.querySelector("main")?.dataset.answers ?? 0));
  }

  /** Waits for an answer of the engine that is newer than so many, when nothing more is being computed. */
  answer(than, timeout = 30_000) {
    return this.page.waitForFunction((n) => {
      const { busy, answers } = document.querySelector("main")?.dataset ?? {};
      return busy === "false" && Number(answers) > n;
    }, than, { timeout, polling: 20 });
  }

  /** Does something that makes the engine compute, and waits for the answer. */
  async after(action, timeout) {
    const before = await this.answers();
    await action();
    await this.answer(before, timeout);
  }

  tab(index) {
    return this.page.click(`#tab-${index}`);
  }

  // ---------------------------------------------------------------- time

  time() {
    return this.page.$eval("input.time", (slider) => ({ value: Number(slider.value), min: Number(slider.min), max: Number(slider.max) }));
  }

  /** To a part of the whole motion, 0 to 1, as a hand on the slider of time. */
  async scrub(part) {
    await this.page.$eval("input.time", (slider, to) => {
      slider.value = String(Number(slider.min) + to*(slider.max - slider.min));
      slider.dispatchEvent(new Event("input"));
    }, part);
  }

  /** What the canvas of the machine shows. */
  picture() {
    return this.page.$eval(".stage canvas", (canvas) => canvas.toDataURL());
  }

  /** Where the lines of the cursor are in the plots over time, in pixels. */
  cursors() {
    return this.page.$$eval(".now", (lines) => lines.map((line) => new DOMMatrix(getComputedStyle(line).transform).e));
  }

  // ---------------------------------------------------------------- numbers

  /** As a hand does it: the slider moves in steps, then it is let go. */
  async slide(name, value) {
    await this.openGroup(name);
    await this.after(() => this.page.$eval(`input[data-name="${name}"]`, (slider, to) => {
      slider.value = String(to);
      slider.dispatchEvent(new Event("input"));
      slider.dispatchEvent(new Event("change"));
    }, value));
  }

  async type(name, value) {
    await this.openGroup(name);
    const field = this.page.locator(`input[data-number="${name}"]`);
    await this.after(async () => {
      await field.fill(String(value));
      await field.press("Enter");
    });
  }

  openGroup(name) {
    return this.page.$eval(`input[data-name="${name}"]`, (input) => { input.closest("details").open = true; });
  }

  number(name) {
    return this.page.$eval(`input[data-number="${name}"]`, (input) => Number(input.value));
  }

  // ---------------------------------------------------------------- text

  text() {
    return this.page.$eval(".cm-content", (content) => content.cmTile?.view?.state.doc.toString() ?? content.innerText);
  }

  /** Another text instead of the one in the editor. */
  async write(text) {
    await this.tab(3);
    await this.page.click(".cm-content");
    await this.page.keyboard.press("Control+a");
    await this.after(() => this.page.keyboard.insertText(text));
  }

  problem() {
    return this.page.$eval(".problem", (line) => (line.hidden ? null : line.textContent));
  }

  // ---------------------------------------------------------------- files

  async download(action) {
    const [file] = await Promise.all([this.page.waitForEvent("download"), action()]);
    const path = join(place, `${Math.random().toString(36).slice(2)}-${file.suggestedFilename()}`);
    await file.saveAs(path);
    return { name: file.suggestedFilename(), path, bytes: readFileSync(path) };
  }

  async csv() {
    await this.tab(0);
    const { bytes } = await this.download(() => this.page.click("#panel-0 footer button:has-text('CSV')"));
    return readCsv(bytes.toString("utf8"));
  }
}

// ------------------------------------------------------------------------------------------ trajectories

export function readCsv(text) {
  const [head, ...lines] = text.trimEnd().split("\n");
  return { head, rows: lines.map((line) => line.split(",").map((word) => (/nan$/i.test(word) ? NaN : Number(word)))) };
}

/** The trajectory of the program: `pfaff run`. */
export function native(file, words) {
  const path = join(place, "native.csv");
  execFileSync(program, ["run", ...words.map(String), "--out", path, file], { stdio: "pipe" });
  return readCsv(readFileSync(path, "utf8"));
}

const unitOf = (name) => /\[([^\]]*)\]"?$/.exec(name)?.[1] ?? "";

/** The largest difference of two tables, in parts of the largest number of the column; what is zero but for rounding is compared
 * with a small part of the largest number of its unit. */
export function difference(a, b) {
  const names = b.head.split(/,(?![^(]*\))/), most = new Map(), size = names.map((_, j) => b.rows.reduce((sum, row) => Math.max(sum, Math.abs(row[j]) || 0), 0));
  names.forEach((name, j) => most.set(unitOf(name), Math.max(most.get(unitOf(name)) ?? 0, size[j])));
  let worst = 0;
  names.forEach((name, j) => {
    const scale = Math.max(size[j], 1e-2*most.get(unitOf(name)), name.startsWith("violation") ? 1 : 1e-3);
    for (let i = 0; i < b.rows.length; i++) {
      const off = Number.isNaN(a.rows[i][j]) && Number.isNaN(b.rows[i][j]) ? 0 : Math.abs(a.rows[i][j] - b.rows[i][j])/scale;
      if (!(off <= worst)) worst = off;
    }
  });
  return worst;
}

export function assertSame(a, b, what, allowed = 1e-9) {
  assert.equal(a.head, b.head, `${what}: columns`);
  assert.equal(a.rows.length, b.rows.length, `${what}: rows`);
  const off = difference(a, b);
  assert.ok(off <= allowed, `${what}: differs from the program by ${off}`);
}
