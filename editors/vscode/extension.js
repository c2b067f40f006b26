// SPDX-License-Identifier: Apache-2.0
// Models of Pfaff in VS Code: errors by `pfaff check --json`, layout by `pfaff fmt`, and the page of a model.
'use strict';

const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const path = require('node:path');
const vscode = require('vscode');

const PAUSE = 400; // ms without a key before a text is checked
const LIMITS = { timeout: 20000, maxBuffer: 64*1024*1024, windowsHide: true };

/** The program of the settings. A relative path would mean a file of the workspace: refused. */
function programOf(document) {
  const program = vscode.workspace.getConfiguration('pfaff', document).get('path') || 'pfaff';
  if (path.basename(program) !== program && !path.isAbsolute(program))
    throw new Error(`pfaff.path is '${program}': write a name that is in PATH, or an absolute path`);
  return program;
}

/** Runs the program without a shell and outside of the workspace; gives { code, out, errors, child }. */
function start(program, args, input, options = {}) {
  let child;
  const done = new Promise((resolve, reject) => {
    child = execFile(program, args, { ...LIMITS, cwd: __dirname, ...options }, (error, out, errors) => {
      if (error && typeof error.code !== 'number' && !error.killed) reject(error);
      else resolve({ code: error ? error.code : 0, stopped: Boolean(error && error.killed), out, errors });
    });
    child.stdin.on('error', () => {}); // it may end before it has read everything
    child.stdin.end(input);
  });
  return { child, done };
}

/** Columns of the program count characters; those of the editor count units of UTF-16. */
function unitsOf(line, characters) {
  let units = 0;
  for (let i = 0; i < characters && units < line.length; i++) units += line.codePointAt(units) > 0xffff ? 2 : 1;
  return units;
}

function rangeOf(document, item) {
  const last = document.lineCount - 1;
  const number = Math.min(Math.max((item.line || 1) - 1, 0), last);
  const line = document.lineAt(number).text;
  const column = Math.max((item.column || 1) - 1, 0);
  const from = unitsOf(line, column);
  return new vscode.Range(number, from, number, unitsOf(line, column + (item.length || 1)));
}

function severityOf(word) {
  const { Error, Warning, Information } = vscode.DiagnosticSeverity;
  return word === 'error' ? Error : word === 'warning' ? Warning : Information;
}

function diagnosticOf(document, item) {
  const message = item.message.replace(/^<stdin>: /, '');
  const words = item.hint ? `${message}\n${item.hint}` : message;
  const diagnostic = new vscode.Diagnostic(rangeOf(document, item), words, severityOf(item.severity));
  diagnostic.source = 'pfaff';
  return diagnostic;
}

/** What is wrong with the text of a document, also when it is not saved. */
function diagnosticsOf(document, answer) {
  if (answer.stopped) throw new Error('the check took too long');
  return (JSON.parse(answer.out).diagnostics || []).map((item) => diagnosticOf(document, item));
}

/** Says the same trouble with the program once. */
class Trouble {
  constructor() { this.told = new Set(); }

  tell(error) {
    const missing = error.code === 'ENOENT';
    const words = missing ? `the program '${error.path}' was not found: set pfaff.path` : error.message;
    if (this.told.has(words)) return;
    this.told.add(words);
    vscode.window.showWarningMessage(`Pfaff: ${words}`);
  }

  forget() { this.told.clear(); }
}

class Checker {
  constructor(trouble) {
    this.trouble = trouble;
    this.found = vscode.languages.createDiagnosticCollection('pfaff');
    this.running = new Map(); // document -> the check under way
    this.waiting = new Map(); // document -> the timer of a pause
  }

  async check(document) {
    if (document.languageId !== 'pfaff') return;
    this.stop(document);
    const key = document.uri.toString();
    let run;
    try {
      run = start(programOf(document), ['check', '--json', '-'], document.getText());
      this.running.set(key, run);
      const version = document.version;
      const answer = await run.done;
      if (this.running.get(key) !== run || document.version !== version) return; // a newer one is on its way
      this.found.set(document.uri, diagnosticsOf(document, answer));
    } catch (error) {
      if (run && this.running.get(key) !== run) return;
      this.found.delete(document.uri);
      this.trouble.tell(error);
    } finally {
      if (this.running.get(key) === run) this.running.delete(key);
    }
  }

  checkSoon(document) {
    if (document.languageId !== 'pfaff') return;
    if (!vscode.workspace.getConfiguration('pfaff', document).get('checkOnType')) return;
    const key = document.uri.toString();
    clearTimeout(this.waiting.get(key));
    this.waiting.set(key, setTimeout(() => this.check(document), PAUSE));
  }

  stop(document) {
    const key = document.uri.toString();
    clearTimeout(this.waiting.get(key));
    this.waiting.delete(key);
    const run = this.running.get(key);
    this.running.delete(key);
    if (run) run.child.kill();
  }

  close(document) {
    this.stop(document);
    this.found.delete(document.uri);
  }

  dispose() {
    for (const timer of this.waiting.values()) clearTimeout(timer);
    for (const run of this.running.values()) run.child.kill();
    this.running.clear();
    this.found.dispose();
  }
}

/** A text that cannot be read stays as it is. */
async function formatted(document, trouble) {
  try {
    const text = document.getText();
    const answer = await start(programOf(document), ['fmt', '-'], text).done;
    if (answer.code !== 0 || answer.out === text) return [];
    const whole = new vscode.Range(document.positionAt(0), document.positionAt(text.length));
    return [vscode.TextEdit.replace(whole, answer.out)];
  } catch (error) {
    trouble.tell(error);
    return [];
  }
}

/** Makes the page of the model in the folder that VS Code keeps for the extension, and shows it in the browser. */
async function openPage(document, folder) {
  await fs.mkdir(folder, { recursive: true });
  const page = path.join(folder, `${path.basename(document.uri.fsPath, '.pf') || 'model'}.html`);
  const saved = document.uri.scheme === 'file' && (!document.isDirty || await document.save());
  const model = saved ? document.uri.fsPath : '-';
  const options = { timeout: 120000 };
  const answer = await start(programOf(document), ['page', '--out', page, model], saved ? '' : document.getText(), options).done;
  if (answer.code !== 0) throw new Error(answer.errors.trim() || 'pfaff page failed');
  await vscode.env.openExternal(vscode.Uri.file(page));
}

/** A command for the model in the active editor. */
function command(name, act) {
  return vscode.commands.registerCommand(name, async () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.languageId !== 'pfaff') return;
    try {
      await act(editor.document);
    } catch (error) {
      const missing = error.code === 'ENOENT' && error.path;
      vscode.window.showErrorMessage(`Pfaff: ${missing ? `'${error.path}' was not found` : error.message}`);
    }
  });
}

function activate(context) {
  const trouble = new Trouble();
  const checker = new Checker(trouble);
  const folder = (context.storageUri || context.globalStorageUri).fsPath;
  const { workspace, languages } = vscode;
  context.subscriptions.push(
    checker,
    workspace.onDidOpenTextDocument((document) => checker.check(document)),
    workspace.onDidSaveTextDocument((document) => checker.check(document)),
    workspace.onDidCloseTextDocument((document) => checker.close(document)),
    workspace.onDidChangeTextDocument((event) => checker.checkSoon(event.document)),
    workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('pfaff')) return;
      trouble.forget();
      workspace.textDocuments.forEach((document) => checker.check(document));
    }),
    languages.registerDocumentFormattingEditProvider('pfaff', {
      provideDocumentFormattingEdits: (document) => formatted(document, trouble),
    }),
    command('pfaff.check', (document) => checker.check(document)),
    command('pfaff.openPage', (document) => openPage(document, folder)),
  );
  workspace.textDocuments.forEach((document) => checker.check(document));
}

module.exports = { activate, deactivate() {} };
