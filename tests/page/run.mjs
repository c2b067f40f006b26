// SPDX-License-Identifier: Apache-2.0
// The tests of pages, by node:test: run.mjs PFAFF SOURCE PAGES [file ...]
// PAGES is the folder that page/build.mjs has filled; `measure.mjs` instead of tests prints figures. Without browser or packages they are left out, with a word (exit code 77).
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [program, source, pages, ...files] = process.argv.slice(2), here = dirname(fileURLToPath(import.meta.url));
const browsers = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"], CHROMIUM = browsers.find((path) => path && existsSync(path));

function leaveOut(what) {
  console.log(`left out: ${what}`);
  process.exit(77);
}

if (!existsSync(join(source, "page/node_modules/playwright-core"))) leaveOut("page/node_modules is absent (cd page && npm ci)");
if (!existsSync(join(pages, "page.html"))) leaveOut(`${pages}/page.html is absent (make page)`);
if (!CHROMIUM) leaveOut("chromium is not installed (scripts/setup.sh test)");

const tests = (files.length ? files : readdirSync(here).filter((name) => name.endsWith(".test.mjs"))).map((name) => join(here, name));
const words = tests.every((path) => path.endsWith(".test.mjs")) ? ["--test", "--test-reporter=spec", "--test-concurrency=1", ...tests] : tests;
const { status } = spawnSync(process.execPath, words, {
  stdio: "inherit", env: { ...process.env, PFAFF: program, PFAFF_SOURCE: source, PFAFF_PAGE: pages, CHROMIUM },
});
process.exit(status ?? 1);
