// SPDX-License-Identifier: Apache-2.0
// The mode of the page's editor at the marked places and on all examples: page.mjs SOURCE_DIRECTORY [FOLDER_WITH_NODE_MODULES]
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [root, modules = path.join(root, 'page')] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), 'package.json'));
let esbuild;
try {
  esbuild = require('esbuild');
  require.resolve('@codemirror/language');
} catch {
  console.log('skipped: the modules of page/ are not installed');
  process.exit(77);
}

const ENTRY = `
export { pfaffLanguage } from ${JSON.stringify(path.resolve(root, 'page/src/language.ts'))};
export { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
export { EditorState } from '@codemirror/state';
export { getIndentation } from '@codemirror/language';`;

async function bundle() {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'pfaff-page-'));
  const outfile = path.join(place, 'language.mjs');
  try {
    esbuild.buildSync({
      stdin: { contents: ENTRY, resolveDir: path.resolve(modules) }, nodePaths: [path.resolve(modules, 'node_modules')],
      bundle: true, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'], outfile, logLevel: 'error',
    });
    return await import(pathToFileURL(outfile));
  } finally {
    fs.rmSync(place, { recursive: true });
  }
}

const { pfaffLanguage, highlightTree, tagHighlighter, tags: t, EditorState, getIndentation } = await bundle();
const support = pfaffLanguage();
const kinds = tagHighlighter([
  { tag: [t.keyword, t.definitionKeyword, t.controlKeyword, t.operatorKeyword], class: 'word' },
  { tag: [t.variableName, t.propertyName, t.function(t.variableName)], class: 'name' },
  { tag: [t.definition(t.variableName), t.definition(t.function(t.variableName)), t.labelName], class: 'entity' },
  { tag: t.standard(t.function(t.variableName)), class: 'function' }, { tag: t.attributeName, class: 'property' },
  { tag: t.atom, class: 'constant' }, { tag: t.special(t.variableName), class: 'shown' }, { tag: t.number, class: 'number' },
  { tag: t.unit, class: 'unit' }, { tag: t.string, class: 'string' }, { tag: t.lineComment, class: 'comment' },
  { tag: t.bracket, class: 'bracket' }, { tag: t.invalid, class: 'invalid' },
]);
const KINDS = [
  ['word', /^(storage\.type|keyword\.(control|other|operator\.word))/], ['name', /^variable\.other/], ['entity', /^entity\.name/],
  ['property', /^variable\.parameter/], ['function', /^support\.(function|class)/],
  ['constant', /^(constant\.language|support\.constant)/], ['shown', /^support\.variable/], ['number', /^constant\.numeric/],
  ['unit', /^support\.type\.unit/], ['string', /^string/], ['comment', /^comment/], ['invalid', /^invalid/],
];
const words = JSON.parse(fs.readFileSync(path.join(root, 'editors/words.json'), 'utf8'));
let failures = 0;

function expect(good, what) {
  if (good) return;
  failures++;
  if (failures < 30) console.log(what);
}

/** The kind of each character. */
function kindsOf(text) {
  const found = Array(text.length).fill('');
  highlightTree(support.language.parser.parse(text), kinds, (from, to, kind) => found.fill(kind, from, to));
  return found;
}

function expectKind(line, at, word, kind) {
  const found = new Set(kindsOf(line).slice(at, at + word.length));
  expect(found.size === 1 && found.has(kind), `'${word}' at ${at + 1} of '${line}' is ${[...found]}, not ${kind}`);
}

function testPlaces() {
  let line = '';
  for (const text of fs.readFileSync(path.join(root, 'tests/editors/places.txt'), 'utf8').trimEnd().split('\n')) {
    const mark = /^( *)\^ ([\w.-]+)$/.exec(text);
    if (!mark) { line = text; continue; }
    const at = mark[1].length, word = /^(?:\d*\.?\d+e-\d+|\.\d+|\w+|'+|.)/.exec(line.slice(at))[0];
    const kind = KINDS.find(([, pattern]) => pattern.test(mark[2]));
    if (kind) expectKind(line, at, word, kind[0]);
  }
}

function testWords() {
  const lists = [['statements', '', ' x', 'word'], ['clauses', 'a ', ' b', 'word'], ['connectives', 'a ', ' b', 'word'],
    ['functions', 'x*', '(1)', 'function'], ['constants', 'x*', '*y', 'constant'], ['units', '2 [', ']', 'unit'],
    ['prefixed_units', '2 [k', ']', 'unit'], ['properties', '{ ', ' 1 }', 'property'], ['settings', '{ ', ' = 1 }', 'property'],
    ['integrators', 'run 1 by ', '', 'constant'], ['formulations', 'run 1 { formulation = ', ' }', 'constant'],
    ['shown', 'plot ', '', 'shown'], ['statements', 'a.', ' + 1', 'name'], ['context', 'kinetic ', "*x'", 'name']];
  for (const [key, before, after, kind] of lists)
    for (const word of words[key]) expectKind(before + word + after, before.length, word, kind);
}

function testExamples() {
  const known = new Set([...words.statements, ...words.clauses, ...words.connectives]);
  const folder = path.join(root, 'examples');
  for (const file of fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.pf'))) {
    const text = fs.readFileSync(path.join(folder, file), 'utf8'), found = kindsOf(text);
    expect(!found.includes('invalid'), `${file}: something is called wrong`);
    for (const word of text.matchAll(/(?<![\w.])[A-Za-z_]\w*/g)) {
      const kind = found[word.index];
      const coloured = ['word', 'function', 'entity', 'unit', 'string', 'comment'].includes(kind);
      expect(!known.has(word[0]) || coloured, `${file}: '${word[0]}' at ${word.index} is '${kind}'`);
    }
  }
}

/** Over lines: brackets stay open, texts and units do not. */
function testLines() {
  const text = 'model a "open\nbody b in c [m\nbody d in e {\n  mass 1\n}\n';
  const found = kindsOf(text);
  for (const word of ['body b', 'body d']) expect(found[text.indexOf(word)] === 'word', `${word} is ${found[text.indexOf(word)]}`);
  expect(found[text.indexOf('mass')] === 'property', 'a property in a line of its own');
  const state = EditorState.create({ doc: 'for i in 1..3 {\nbody a in b {\nmass 1\n}\n}\n', extensions: [support] });
  const columns = [1, 2, 3, 4, 5].map((number) => getIndentation(state, state.doc.line(number).from));
  expect(columns.join() === '0,2,4,2,0', `indentation: ${columns}`);
  for (const strange of ['', ']', ')})]', '[', '"', '\\', '😀 é', 'x[', '..', '[[]', "'", '#']) kindsOf(strange);
}

testPlaces();
testWords();
testExamples();
testLines();
console.log(`${failures} failures`);
process.exit(failures ? 1 : 0);
