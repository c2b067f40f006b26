// SPDX-License-Identifier: Apache-2.0
// The page: a stage with time and numbers on one side, curves, equations, facts and text on the other.
import katexCss from "katex.css";
import uplotCss from "uplot/dist/uPlot.min.css";
import { fill, h } from "./dom";
import { readTracks } from "./tracks";
import { linkable, makeLink, readLink, savePage } from "./out/save";
import { Curves } from "./panels/curves";
import { Editor } from "./panels/editor";
import { Equations } from "./panels/equations";
import { Facts } from "./panels/facts";
import { Player } from "./panels/player";
import { Sliders } from "./panels/sliders";
import { View } from "./panels/view";
import { Session, type Content } from "./session";
import css from "./style.css";

declare global {
  var pfaffPage: { source: string; engine: Promise<ArrayBuffer> };
}

const EMPTY = `model new "A new model"

param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]
coord theta [rad]
gravity (0, -g, 0)
body rod in ground turn theta about z { mass m, com (l, 0, 0) }

start theta = 0
run 10
plot theta
`;

function readData(): Content {
  try {
    return JSON.parse(document.getElementById("pfaff-data")!.textContent!) as Content;
  } catch {
    return {};
  }
}

/** Panels of which one is seen. */
function tabs(panels: [string, HTMLElement, (() => void)?][]): HTMLElement {
  const buttons = panels.map(([name], i) => h("button", { role: "tab", id: `tab-${i}`, "aria-controls": `panel-${i}`, title: `${name} (${i + 1})`, onclick: () => choose(i) }, name));
  const choose = (which: number) => panels.forEach(([, panel, seen], i) => {
    panel.hidden = i !== which;
    buttons[i]!.setAttribute("aria-selected", String(i === which));
    if (i === which) seen?.();
  });
  panels.forEach(([, panel], i) => {
    panel.id = `panel-${i}`;
    panel.setAttribute("role", "tabpanel");
  });
  const bar = h("nav", { class: "tabs", role: "tablist" }, ...buttons);
  const element = h("div", { class: "right" }, bar, ...panels.map(([, panel]) => panel));
  queueMicrotask(() => choose(0));
  return element;
}

function gallery(session: Session): HTMLElement | null {
  const { gallery: list } = session.data;
  if (!list) return null;
  const option = ({ file, text }: { file: string; text: string }) => h("option", { value: file, title: file }, /^model\s+\S+\s+"([^"]*)"/m.exec(text)?.[1] ?? file);
  const families = [...new Set(list.map(({ family }) => family))].map((family) => h("optgroup", { label: family }, ...list.filter((one) => one.family === family).map(option)));
  const select = h("select", { "aria-label": "examples", class: "gallery" }, h("option", { value: "" }, "an empty model"), ...families);
  select.addEventListener("change", () => {
    const chosen = list.find(({ file }) => file === select.value);
    session.open(chosen?.text ?? EMPTY, chosen?.file ?? "new.pf");
  });
  session.on("text", () => { select.value = list.some(({ file }) => file === session.file) ? session.file : ""; });
  return select;
}

function themeButton(apply: () => void): HTMLElement {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  dark.addEventListener("change", apply);
  return h("button", { class: "flat", title: "light or dark", "aria-label": "light or dark", onclick: () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    apply();
  } }, "◐");
}

function header(session: Session, onTheme: () => void): HTMLElement {
  const title = h("h1", { hidden: Boolean(session.data.gallery) }), busy = h("button", { class: "busy", hidden: true, title: "stop computing", onclick: () => session.cancel() }, "computing … stop");
  const word = h("span", { class: "quiet" });
  let telling = 0;
  const tell = (text: string) => {
    word.textContent = text;
    clearTimeout(telling);
    telling = window.setTimeout(() => { word.textContent = ""; }, 6000);
  };
  const ghost = h("button", { class: "flat", hidden: true, title: "the motion before the change is shown dashed and pale", onclick: () => session.forgetGhost() }, "forget the old motion");
  const link = h("button", { class: "flat", title: "a link to this page with the changed numbers", onclick: () => {
    if (!linkable(session)) return tell("the text was changed, and no link carries that: save the page");
    history.replaceState(null, "", makeLink(session));
    void navigator.clipboard?.writeText(location.href).then(() => tell("link copied"), () => tell("the link is in the address"));
  } }, "link");
  const save = h("button", { class: "flat", title: "this page with the changes, as a file", onclick: () => savePage(session, pfaffPage.source) }, "save page");
  let timer = 0;
  session.on("busy", (on) => {
    clearTimeout(timer);
    if (on) timer = window.setTimeout(() => { busy.hidden = false; }, 250);
    else busy.hidden = true;
  });
  session.on("motion", () => { ghost.hidden = !session.ghost || session.ghost === session.motion; });
  session.on("about", ({ title: name, model }) => {
    if (!model) return; // the text has an error: it is still about the same
    title.textContent = name || model;
    document.title = title.textContent;
  });
  return h("header", { class: "top" }, h("a", { class: "brand" }, "Pfaff"), gallery(session), title, busy, word, h("span", { class: "gap" }), ghost, link, save, themeButton(onTheme));
}

/** One line under the machine when something is wrong. */
function problem(session: Session, toModel: () => void): HTMLElement {
  const line = h("p", { class: "problem", role: "alert", hidden: true });
  session.on("diagnostics", (all) => {
    document.body.classList.toggle("stale", session.stale && session.motion !== null);
    const first = all.find((d) => d.severity === "error");
    line.hidden = !first;
    if (first) fill(line, first.line > 0 && h("button", { class: "flat", onclick: toModel }, `line ${first.line}`), " ", first.message, first.hint && h("small", {}, first.hint));
  });
  return line;
}

/** For programs that drive the page: is it computing, and how many answers have come. */
function tell(session: Session, element: HTMLElement): void {
  let answers = 0;
  session.on("busy", (on) => { element.dataset.busy = String(on); });
  session.on("diagnostics", () => { element.dataset.answers = String(++answers); });
}

function keys(session: Session, player: Player): void {
  const actions: Record<string, () => void> = {
    " ": () => session.play(!session.playing), ArrowLeft: () => player.step(-1), ArrowRight: () => player.step(1),
    Home: () => session.seek(-Infinity), End: () => session.seek(Infinity), l: () => { session.loop = !session.loop; },
  };
  for (let i = 0; i < 4; i++) actions[String(i + 1)] = () => document.getElementById(`tab-${i}`)?.click();
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, button, .cm-editor")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

export function start(): void {
  const data = readData(), { engine } = pfaffPage, session = new Session(engine, data), link = readLink(location.hash);
  document.head.append(h("style", {}, uplotCss, katexCss, css));
  const player = new Player(session), view = new View(session), sliders = new Sliders(session), curves = new Curves(session), equations = new Equations(session, engine),
    facts = new Facts(session, engine), editor = new Editor(session);
  const repaint = () => {
    const style = getComputedStyle(document.documentElement);
    view.stage?.background(style.getPropertyValue("--sky").trim(), style.getPropertyValue("--grid").trim());
    curves.refresh();
  };
  const right = tabs([["Curves", curves.element, () => curves.refresh()], ["Equations", equations.element, () => equations.update()], ["Facts", facts.element], ["Model", editor.element]]);
  const main = h("main", {}, h("div", { class: "left" }, view.element, player.element, problem(session, () => document.getElementById("tab-3")?.click()), sliders.element), right);
  document.body.append(header(session, repaint), main);
  repaint();
  tell(session, main);
  keys(session, player);
  readTracks(data, view, curves);
  session.open(...firstModel(data, link.example), link.changes);
  let first = true;
  session.on("motion", () => {
    if (!first) return;
    first = false;
    if (link.time !== null) session.seek(link.time);
    else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) session.play(true);
  });
}

/** Text and file name of what the page opens with. */
function firstModel({ text, file, gallery: list }: Content, example: string | null): [string, string] {
  if (text !== undefined) return [text, file ?? "model.pf"];
  const chosen = list?.find((one) => one.file === example) ?? list?.find((one) => one.file === "snakeboard.pf");
  return [chosen?.text ?? EMPTY, chosen?.file ?? "new.pf"];
}
