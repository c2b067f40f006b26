// SPDX-License-Identifier: Apache-2.0
// The extension of VS Code in Node, with as much of the module 'vscode' as it uses: vscode.mjs PROGRAM SOURCE_DIRECTORY
import assert from 'node:assert/strict';
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';

const [program, root] = process.argv.slice(2);
const folder = path.join(root, 'editors/vscode');
const place = fs.mkdtempSync(path.join(os.tmpdir(), 'pfaff-vscode-'));
process.on('exit', () => fs.rmSync(place, { recursive: true, force: true }));

class Range {
  constructor(line, from, endLine, to) { Object.assign(this, { line, from, endLine, to }); }
}

class Uri {
  constructor(scheme, fsPath) { Object.assign(this, { scheme, fsPath }); }
  static file(name) { return new Uri('file', name); }
  toString() { return `${this.scheme}:${this.fsPath}`; }
}

class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}

const settings = { path: program, checkOnType: true };
const told = [], opened = [], found = new Map(), events = {}, commands = {}, formatters = [];
const event = (name) => (act) => { events[name] = act; return { dispose() {} }; };
const vscode = {
  Range, Uri, Diagnostic,
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2 },
  TextEdit: { replace: (range, text) => ({ range, text }) },
  workspace: {
    textDocuments: [],
    getConfiguration: () => ({ get: (key) => settings[key] }),
    onDidOpenTextDocument: event('open'), onDidSaveTextDocument: event('save'), onDidCloseTextDocument: event('close'),
    onDidChangeTextDocument: event('change'), onDidChangeConfiguration: event('configuration'),
  },
  window: {
    activeTextEditor: undefined,
    showWarningMessage: (text) => told.push(text), showErrorMessage: (text) => told.push(text),
  },
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => found.set(uri.toString(), list), delete: (uri) => found.delete(uri.toString()), dispose() {},
    }),
    registerDocumentFormattingEditProvider: (language, provider) => formatters.push(provider) && { dispose() {} },
  },
  commands: { registerCommand: (name, act) => { commands[name] = act; return { dispose() {} }; } },
  env: { openExternal: async (uri) => opened.push(uri) },
};

const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
const extension = createRequire(import.meta.url)(path.join(folder, 'extension.js'));
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
const context = { subscriptions: [], storageUri: Uri.file(path.join(place, 'pages')) };
extension.activate(context);

function makeDocument(text, name = 'a.pf', eol = '\n') {
  const lines = () => text.split(/\r?\n/);
  return {
    languageId: 'pfaff', uri: Uri.file(path.join(place, name)), version: 1, isDirty: true,
    getText: () => text.replace(/\r?\n/g, eol), get lineCount() { return lines().length; },
    lineAt: (i) => ({ text: lines()[i] }), positionAt: (offset) => offset,
    async save() { fs.writeFileSync(this.uri.fsPath, this.getText()); this.isDirty = false; return true; },
    type(next) { text = next; this.version++; events.change({ document: this }); },
  };
}

const diagnostics = (document) => found.get(document.uri.toString());
const marked = (document, d) => document.lineAt(d.range.line).text.slice(d.range.from, d.range.to);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (condition) => { for (let i = 0; i < 1000 && !condition(); i++) await pause(10); };

const GOOD = "model a\ncoord x [m]\nkinetic 1 [kg]*x'^2\n";

test('an error stands at its word', async () => {
  const document = makeDocument("model a\ncoord x [m]\nkinetic 1 [kg]*xx'^2\n");
  await events.open(document);
  const [d] = diagnostics(document);
  assert.equal(d.range.line, 2);
  assert.equal(marked(document, d), 'xx');
  assert.equal(d.severity, 0);
  assert.match(d.message, /did you mean 'x'/);
});

test('columns behind characters of two bytes, three bytes and two units', async () => {
  for (const title of ['é', '\u20ac', '😀', 'aé\u20ac😀𝛼']) {
    for (const eol of ['\n', '\r\n']) {
      const document = makeDocument(`model a "${title}"; coord x [m]; kinetic 1 [kg]*(x'^2 + wrong)\n`, 'b.pf', eol);
      await events.open(document);
      assert.deepEqual(diagnostics(document).map((d) => [d.range.line, marked(document, d)]), [[0, 'wrong']], title);
    }
  }
});

test('a text that does not end, an empty one, a character that is none', async () => {
  for (const text of ['model a "😀', '', 'coord x [m', 'a 😀 b', '\ud800', 'body a in ground {\n']) {
    const document = makeDocument(text, 'c.pf');
    await events.open(document);
    assert.ok(diagnostics(document).length > 0, text);
    assert.ok(diagnostics(document).every((d) => d.range.line >= 0 && !d.message.includes('<stdin>')), text);
    for (const d of diagnostics(document)) assert.ok(d.range.to <= document.lineAt(d.range.line).text.length, text);
  }
});

test('a warning is a warning', async () => {
  const document = makeDocument(`${GOOD}constraint c: x' = 0\nstart x' = 3 [m/s]\nconstraint d: 0 = 0\n`, 'w.pf');
  await events.open(document);
  assert.ok(diagnostics(document).length > 0);
  assert.ok(diagnostics(document).every((d) => d.severity === 1));
});

test('typing: one check after a pause, of the newest text', async () => {
  const document = makeDocument(GOOD, 'd.pf');
  await events.save(document);
  assert.deepEqual(diagnostics(document), []);
  document.type(`${GOOD}potential u\n`);
  document.type(`${GOOD}\npotential v\n`);
  assert.deepEqual(diagnostics(document), []);
  await until(() => diagnostics(document).length);
  assert.deepEqual(diagnostics(document).map((d) => [d.range.line, marked(document, d)]), [[4, 'v']]);
  settings.checkOnType = false;
  document.type(GOOD);
  await pause(900);
  assert.equal(diagnostics(document).length, 1);
  settings.checkOnType = true;
  await events.close(document);
  assert.equal(diagnostics(document), undefined);
});

test('two checks at a time: the newer one counts', async () => {
  const document = makeDocument(`${GOOD}potential u\n`, 'e.pf');
  const older = events.open(document);
  document.type(GOOD);
  await Promise.all([older, events.save(document)]);
  assert.deepEqual(diagnostics(document), []);
});

test('other languages are left alone', async () => {
  const document = { ...makeDocument('nonsense', 'f.txt'), languageId: 'plaintext' };
  await events.open(document);
  assert.equal(diagnostics(document), undefined);
});

test('layout', async () => {
  const document = makeDocument("model a\ncoord   x [m]\nkinetic 1 [kg] * x'^2\n", 'g.pf');
  assert.deepEqual(await formatters[0].provideDocumentFormattingEdits(makeDocument('body (', 'h.pf')), []);
  const [edit] = await formatters[0].provideDocumentFormattingEdits(document);
  assert.equal(edit.text, GOOD);
  assert.deepEqual(await formatters[0].provideDocumentFormattingEdits(makeDocument(GOOD, 'i.pf')), []);
});

test('a program that is not there is told once, a relative one is refused', async () => {
  const document = makeDocument(GOOD, 'j.pf');
  settings.path = path.join(place, 'absent');
  told.length = 0;
  await events.open(document);
  await events.open(document);
  assert.equal(told.length, 1);
  assert.match(told[0], /absent' was not found: set pfaff.path/);
  fs.writeFileSync(path.join(place, 'evil'), '#!/bin/sh\ntouch "$0.ran"\n', { mode: 0o755 });
  for (const relative of ['./evil', '../evil', path.relative(folder, path.join(place, 'evil'))]) {
    settings.path = relative;
    await events.open(document);
    assert.match(told.at(-1), /absolute path/);
  }
  settings.path = `${program}; touch ${place}/evil.ran`;
  await events.open(document);
  assert.ok(!fs.existsSync(path.join(place, 'evil.ran')));
  settings.path = program;
});

/** A program that writes down how it was called. */
function makeRecorder(name, body) {
  const file = path.join(place, name);
  fs.writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return file;
}

test('the page: saved, made without a shell, opened', async () => {
  settings.path = makeRecorder('recorder', `for a in "$@"; do echo "$a"; done >"${place}/called"; echo page >"$3"`);
  const document = makeDocument(GOOD, "a b'; $(touch evil) k.pf");
  vscode.window.activeTextEditor = { document };
  await commands['pfaff.openPage']();
  const called = fs.readFileSync(path.join(place, 'called'), 'utf8').trim().split('\n');
  const page = path.join(place, 'pages', "a b'; $(touch evil) k.html");
  assert.deepEqual(called, ['page', '--out', page, document.uri.fsPath]);
  assert.equal(document.isDirty, false);
  assert.equal(opened.at(-1).fsPath, page);
  settings.path = makeRecorder('refuses', 'echo "pfaff: error: no page today" >&2; exit 3');
  await commands['pfaff.openPage']();
  assert.match(told.at(-1), /no page today/);
  settings.path = program;
  vscode.window.activeTextEditor = undefined;
  await commands['pfaff.openPage']();
});

test('the manifest says what the code does', () => {
  const { contributes, capabilities } = manifest;
  for (const { command } of contributes.commands) assert.ok(commands[command], command);
  assert.deepEqual(Object.keys(commands).sort(), contributes.commands.map((c) => c.command).sort());
  for (const [key, { default: value }] of Object.entries(contributes.configuration.properties))
    assert.equal(typeof settings[key.replace('pfaff.', '')], typeof value, key);
  assert.deepEqual(capabilities.untrustedWorkspaces.restrictedConfigurations, ['pfaff.path']);
  const files = [manifest.main, contributes.grammars[0].path, contributes.snippets[0].path, contributes.languages[0].configuration];
  for (const file of files) assert.ok(fs.existsSync(path.join(folder, file)), file);
  JSON.parse(fs.readFileSync(path.join(folder, 'language-configuration.json'), 'utf8'));
});

test('the end: nothing is left running', () => {
  context.subscriptions.forEach((item) => item.dispose());
});
