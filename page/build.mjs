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

/** One bundle as text; `plugins` lets the program carry the worker. */
async function bundle(entry, plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8", legalComments: "none",
    loader: { ".css": "text" }, plugins,
  });
  return outputFiles[0].text;
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
const page = html.replace("<!--APP-->", () => app).replace("<!--ENGINE-->", () => packed(readFileSync(engine)));

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
