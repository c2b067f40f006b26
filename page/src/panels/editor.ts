// SPDX-License-Identifier: Apache-2.0
// The text of the model, with what is wrong at its line.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic as Lint } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { download, fill, h } from "../dom";
import { pfaffLanguage } from "../language";
import type { Session } from "../session";
import type { Diagnostic } from "../types";

const PAUSE = 350; // ms after the last key

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.controlKeyword], color: "var(--keyword)", fontWeight: "600" },
  { tag: [tags.operatorKeyword, tags.attributeName, tags.labelName], color: "var(--keyword)" },
  { tag: [tags.function(tags.variableName), tags.atom], color: "var(--function)" },
  { tag: [tags.number, tags.unit], color: "var(--number)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

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
    session.on("text", (text) => this.take(text));
  }

  private extensions() {
    return [
      lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), lintGutter(), pfaffLanguage(), syntaxHighlighting(COLORS),
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

  private take(text: string): void {
    this.taking = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.taking = false;
  }

  /** Places count characters from 1, the editor counts units of UTF-16. */
  private place({ line, column, length }: Diagnostic): [number, number] {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return [0, 0];
    const row = doc.line(line), characters = Array.from(row.text), first = Math.max(0, column - 1);
    const units = (count: number) => characters.slice(0, count).join("").length;
    return [row.from + units(first), row.from + units(first + Math.max(1, length))];
  }

  private mark(all: Diagnostic[]): void {
    const marks: Lint[] = all.filter((d) => d.line > 0).map((d) => {
      const [from, to] = this.place(d);
      return { from, to, severity: d.severity === "note" ? "info" : d.severity as "error" | "warning", message: d.hint ? `${d.message}\n${d.hint}` : d.message };
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
