// SPDX-License-Identifier: Apache-2.0
// Makes dist/page.html (the template that `pfaff page` fills) and dist/playground.html (the same with all examples):
// program, styles and engine in one file each, compressed, with a policy that forbids all loading.
//   node build.mjs [ENGINE.wasm [FOLDER]]
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { jsonInHtml } from "./src/out/html.mjs";

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, "..");
const engine = process.argv[2] ?? join(root, "build-wasm/pfaff.wasm");
const folder = process.argv[3] ?? join(here, "dist");
const LIMIT = 1_500_000; // bytes of a page without data

const carried = new Set(["katex"]); // packages of npm that are in the page; KaTeX with its style and fonts as well

/** One bundle as text; `plugins` lets the program carry the worker. Comments are left out: the licences stand at the end of the page. */
async function bundle(entry, plugins = []) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8", legalComments: "none",
    loader: { ".css": "text" }, plugins, metafile: true,
  });
  for (const path of Object.keys(metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    if (name) carried.add(name);
  }
  return outputFiles[0].text;
}

/** "name version, Copyright …" of a package; all of them have the same licence. */
function copyrightOf(name) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readFileSync(join(folder, readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))), "utf8");
  if (license !== "MIT") throw new Error(`${name} has the licence ${license}: page/notices.txt has to be told`);
  return `${name} ${version}, ${/^ *Copyright .*$/m.exec(text)[0].trim()}`;
}

/** What the licences of all that is in the page want to have repeated, as a comment. */
function notices() {
  const packages = [...carried].sort().map(copyrightOf).join("\n");
  const text = readFileSync(join(here, "notices.txt"), "utf8").replace("PACKAGES", () => packages);
  if (text.includes("--")) throw new Error("a comment of HTML cannot have two hyphens in a row");
  return `<!--\n${text}-->\n`;
}

/** `import text from "worker:engine/worker.ts"` is the text of that bundle. */
const workers = {
  name: "workers",
  setup(b) {
    b.onResolve({ filter: /^worker:/ }, ({ path }) => ({ path: path.slice(7), namespace: "worker" }));
    b.onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => ({ contents: await bundle(path), loader: "text" }));
  },
};

/** `import css from "katex.css"` is its style with the few fonts that mechanics needs inside. */
const katexCss = {
  name: "katex.css",
  setup(b) {
    const dist = join(here, "node_modules/katex/dist"), kept = /KaTeX_(Main-Regular|Math-Italic|Size[1-4]-Regular)\.woff2/;
    b.onResolve({ filter: /^katex\.css$/ }, () => ({ path: "katex.css", namespace: "katex" }));
    b.onLoad({ filter: /.*/, namespace: "katex" }, () => {
      const css = readFileSync(join(dist, "katex.min.css"), "utf8").replace(/@font-face\{[^}]*\}/g, (face) => {
        const file = kept.exec(face)?.[0];
        return file ? face.replace(/src:[^;}]*/, () => `src:url(data:font/woff2;base64,${readFileSync(join(dist, "fonts", file)).toString("base64")}) format("woff2")`) : "";
      });
      return { contents: css, loader: "text" };
    });
  },
};

const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
const sha256 = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function policy(boot) {
  return ["default-src 'none'", `script-src ${sha256(boot)} blob: 'wasm-unsafe-eval'`, "worker-src blob:", "style-src 'unsafe-inline'", "img-src data: blob:",
    "media-src blob:", "font-src data:", "base-uri 'none'", "form-action 'none'"].join("; ");
}

function gallery() {
  const examples = join(root, "examples");
  const found = readdirSync(examples, { recursive: true }).filter((path) => path.endsWith(".pf"));
  return found.sort().map((path) => ({ file: basename(path), family: dirname(path), text: readFileSync(join(examples, path), "utf8") }));
}

const boot = readFileSync(join(here, "src/boot.js"), "utf8").trim();
const html = readFileSync(join(here, "src/index.html"), "utf8")
  .replace("POLICY", () => policy(boot))
  .replace("BOOT", () => boot);
const app = packed(Buffer.from(await bundle("main.ts", [workers, katexCss])));
const page = html.replace("<!--APP-->", () => app).replace("<!--ENGINE-->", () => packed(readFileSync(engine))) + notices();

mkdirSync(folder, { recursive: true });
const write = (name, text) => {
  writeFileSync(join(folder, name), text);
  console.log(`${relative(root, join(folder, name))}: ${Buffer.byteLength(text)} bytes`);
};
write("page.html", page);
write("playground.html", page.replace('id="pfaff-data">{}<', () => `id="pfaff-data">${jsonInHtml({ format: 1, gallery: gallery() })}<`).replace("<title>Pfaff</title>", "<title>Pfaff playground</title>"));
if (Buffer.byteLength(page) > LIMIT) {
  console.error(`page.html has more than ${LIMIT} bytes`);
  process.exit(1);
}
