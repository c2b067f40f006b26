// SPDX-License-Identifier: Apache-2.0
// The text of the model, with what is wrong at its line.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic as Lint } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { download, fill, h } from "../dom";
import { pfaffLanguage } from "../language";
import type { Session } from "../session";
import type { Diagnostic } from "../types";

const PAUSE = 350; // ms after the last key

export class Editor {
  readonly element = h("section", { class: "editor", "aria-label": "model" });
  private readonly view: EditorView;
  private readonly list = h("div", { class: "diagnostics", role: "status" });
  private timer = 0;

  constructor(private readonly session: Session) {
    this.view = new EditorView({
      state: EditorState.create({ extensions: this.extensions() }),
      parent: h("div", { class: "text" }),
    });
    const save = h("button", { title: "the text as a file", onclick: () => this.save() }, "save .pf");
    fill(this.element, this.view.dom.parentElement!, this.list, h("footer", {}, save));
    session.on("diagnostics", (all) => this.mark(all));
    session.on("about", () => this.take());
  }

  private extensions() {
    return [
      lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), lintGutter(), pfaffLanguage(),
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]), EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "text of the model" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged || this.taking) return;
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.session.edit(this.view.state.doc.toString()), PAUSE);
      }),
    ];
  }

  private taking = false;

  /** The text of the session, when it is another one. */
  private take(): void {
    const now = this.view.state.doc.toString();
    if (now === this.session.text || this.view.hasFocus) return;
    this.taking = true;
    this.view.dispatch({ changes: { from: 0, to: now.length, insert: this.session.text } });
    this.taking = false;
  }

  /** Places count bytes of UTF-8 from 1. */
  private place({ line, column, length }: Diagnostic): [number, number] {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return [0, 0];
    const row = doc.line(line), bytes = new TextEncoder().encode(row.text), decoder = new TextDecoder();
    const from = decoder.decode(bytes.subarray(0, Math.max(0, column - 1))).length, to = decoder.decode(bytes.subarray(0, Math.max(0, column - 1) + Math.max(1, length))).length;
    return [row.from + Math.min(from, row.length), row.from + Math.min(to, row.length)];
  }

  private mark(all: Diagnostic[]): void {
    const marks: Lint[] = all.filter((d) => d.line > 0).map((d) => {
      const [from, to] = this.place(d);
      return { from, to, severity: d.severity === "note" ? "info" : d.severity, message: d.hint ? `${d.message}\n${d.hint}` : d.message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
    fill(this.list, ...all.map((d) => this.item(d)));
  }

  private item(d: Diagnostic): HTMLElement {
    const place = d.line > 0 && h("button", { class: "flat", onclick: () => this.go(d) }, `line ${d.line}`);
    return h("p", { class: d.severity }, place, " ", d.message, d.hint && h("small", {}, d.hint));
  }

  private go(d: Diagnostic): void {
    const [from, to] = this.place(d);
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }

  private save(): void {
    download(this.session.file, this.session.text, "text/plain");
  }
}
