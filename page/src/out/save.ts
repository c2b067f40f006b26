// SPDX-License-Identifier: Apache-2.0
// The page itself with the reader's changes, and links that carry them.
import { download } from "../dom";
import { jsonInHtml } from "./html.mjs";
import { noChanges, type Changes, type Content, type Session } from "../session";
import type { Options } from "../types";

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** What the page is about now, as data for a page. */
export function pageData(session: Session): Content {
  const { data, text, file, about } = session, run: Options = session.options();
  const same = text === data.text;
  return { format: 1, version: data.version, title: about?.title || about?.model || file, file, text, run, derived: same ? data.derived : undefined, tracks: data.tracks };
}

export function savePage(session: Session, source: string): void {
  const data = pageData(session);
  const html = source
    .replace(/(<script type="application\/json" id="pfaff-data">)[^<]*(<\/script>)/, (_all, open: string, close: string) => open + jsonInHtml(data) + close)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(data.title ?? "Pfaff")}</title>`);
  download(session.file.replace(/\.pf$/, "") + ".html", html, "text/html");
}

// ---------------------------------------------------------------- #p.m=7&s.theta=0.5&t=1.2

export interface Place {
  changes: Changes;
  example: string | null;
  time: number | null;
}

export function readLink(hash: string): Place {
  const place: Place = { changes: noChanges(), example: null, time: null };
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const number = Number(value);
    if (key === "example") place.example = value;
    else if (value === "" || !Number.isFinite(number)) continue;
    else if (key === "t") place.time = number;
    else if (key.startsWith("p.")) place.changes.param[key.slice(2)] = number;
    else if (key.startsWith("s.")) place.changes.state[key.slice(2)] = number;
  }
  return place;
}

/** Does a link carry everything? A changed text only goes with the page. */
export function linkable({ text, file, data }: Session): boolean {
  return text === (data.gallery?.find((one) => one.file === file)?.text ?? data.text);
}

export function makeLink({ changes, file, time, data }: Session): string {
  const words = new URLSearchParams();
  if (data.gallery) words.set("example", file);
  for (const [name, value] of Object.entries(changes.param)) words.set(`p.${name}`, String(value));
  for (const [name, value] of Object.entries(changes.state)) words.set(`s.${name}`, String(value));
  if (time) words.set("t", String(Number(time.toPrecision(6))));
  return `${location.href.replace(/#.*/, "")}#${words}`;
}
