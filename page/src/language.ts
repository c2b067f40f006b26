// SPDX-License-Identifier: Apache-2.0
// The language of the models for CodeMirror. The words are those of editors/words.json, which editors/make.py reads from the program's
// tables; what a word is at its place is tested with the other editors (tests/editors/places.txt).
import { LanguageSupport, StreamLanguage, type StreamParser } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import words from "../../editors/words.json";

/** What was read last: decides whether `ball` is a joint or the name of a body, and `[` an index or a unit. */
type Last = "start" | "operand" | "word" | "operator" | "comma" | "brace" | "dot" | "colon";

interface State {
  brackets: string;   // those that are open, the innermost last
  last: Last;
  word: string;       // the last word, when it was the last token
  wordEnd: number;    // the column behind it; -1 in later lines
  statement: string;
  unit: boolean;      // inside the brackets of a unit
}

type Stream = Parameters<StreamParser<State>["token"]>[0];

const set = (...lists: readonly (readonly string[])[]): ReadonlySet<string> => new Set(lists.flat());

const statements = set(words.statements), clauses = set(words.clauses), connectives = set(words.connectives);
const functions = set(words.functions), constants = set(words.constants), shown = set(words.shown);
const properties = set(words.properties, words.settings), context = set(words.context);
const shapes = set(words.shapes), integrators = set(words.integrators), formulations = set(words.formulations);
const plainUnits = set(words.units, words.prefixed_units), prefixedUnits = set(words.prefixed_units);
const declaring = set(words.declaring), controlling = set(words.controlling), labelled = set(words.labelled);
const naming = set(["body", "frame", "point", "part", "model", "as"]);
const complete = set(["free", "ball", "weld"]); // context words behind which an operand is complete

const NAME = /^[A-Za-z_]\w*/;
const NUMBER = /^(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?/;

function isUnit(word: string): boolean {
  if (plainUnits.has(word)) return true;
  return words.prefixes.some((prefix) => word.startsWith(prefix) && prefixedUnits.has(word.slice(prefix.length)));
}

/** Between the brackets of a unit; it ends in its line. */
function unitToken(stream: Stream, state: State): string | null {
  if (stream.eat("]")) {
    state.unit = false;
    state.last = "operand";
    return "bracket";
  }
  const word = stream.match(/^(?:\p{L}+|[%°])/u) as RegExpMatchArray | null;
  if (word) return isUnit(word[0]) ? "unit" : null;
  if (stream.match(/^\d+/)) return "number";
  stream.next();
  return "operator";
}

function numberToken(stream: Stream, state: State): string | null {
  if (!stream.match(NUMBER)) return null;
  state.last = "operand";
  return stream.match(NAME) ? "invalid" : "number";
}

/** The words that are names unless they stand behind a certain one, or behind a complete operand. */
function isContextWord(word: string, stream: Stream, state: State, first: boolean): boolean {
  const behindWord = state.last === "word" ? state.word : "";
  const rolls = state.statement === "roll" && (behindWord === "roll" || state.last === "colon");
  if ((word === "disc" || word === "ball") && rolls) return Boolean(stream.match(/^\s+[A-Za-z_]/, false));
  if (word === "disc") return false;
  if (word === "surface") return behindWord === "on" && Boolean(stream.match(/^\s+[A-Za-z_]/, false));
  if (word === "sphere") return behindWord === "inside" || behindWord === "outside";
  if (word === "impulse" || word === "torque")
    return behindWord === "with" || (state.statement === "detach" && state.last === "comma");
  if (!context.has(word)) return false;
  if (first && stream.match(/^\s*[=.'(]/, false)) return false;
  return (first || state.last === "operand") && !stream.match(/^[.'(]/, false);
}

function isProperty(word: string, stream: Stream, state: State, first: boolean): boolean {
  const begins = first || state.last === "brace" || state.last === "comma";
  return state.brackets.endsWith("{") && begins && properties.has(word) && Boolean(stream.match(/^(?:\s*=|\s+[^\s=])/, false));
}

/** What a word is by the word before it, or "". */
function byWordBefore(word: string, stream: Stream, state: State): string {
  if (state.last !== "word") return "";
  if (labelled.has(state.word) && stream.match(/^(?:\[[^\]]*\])?\s*:/, false)) return "label";
  if (state.word === "as" && shapes.has(word) && stream.match(/^\s*\(/, false)) return "function";
  if (state.word === "by" && integrators.has(word)) return "constant";
  if (state.word === "let" && stream.match(/^\(/, false)) return "definedFunction";
  return naming.has(state.word) && !statements.has(word) ? "definition" : "";
}

/** What a reserved word is, or "". */
function reserved(word: string): string {
  if (declaring.has(word)) return "declare";
  if (controlling.has(word)) return "control";
  if (statements.has(word)) return "statement";
  if (clauses.has(word)) return "clause";
  return connectives.has(word) ? "connective" : "";
}

/** What is no word of the grammar: an operand, or the name of a function. */
function operand(word: string, stream: Stream): string {
  if (constants.has(word)) return "constant";
  if (shown.has(word)) return "shown";
  return stream.match(/^\(/, false) ? "calledFunction" : "name";
}

function classify(word: string, stream: Stream, state: State, first: boolean): string {
  if (state.last === "dot") return "member";
  if (isProperty(word, stream, state, first)) return "ofBlock";
  if (state.word === "formulation" && formulations.has(word)) return "constant";
  const before = byWordBefore(word, stream, state);
  if (before) return before;
  if (functions.has(word) && stream.match(/^\s*\(/, false)) return "function";
  if (isContextWord(word, stream, state, first)) return "context";
  return reserved(word) || operand(word, stream);
}

const wordKinds = set(["declare", "control", "statement", "clause", "connective", "context", "ofBlock"]);

function wordToken(stream: Stream, state: State, first: boolean): string | null {
  const match = stream.match(NAME) as RegExpMatchArray | null;
  if (!match) return null;
  const word = match[0], kind = classify(word, stream, state, first);
  const rolling = state.statement === "roll" && (state.last === "colon" || state.word === "roll");
  if (kind === "declare" || kind === "control" || kind === "statement") state.statement = word;
  const ends = kind === "context" && complete.has(word) && !rolling;
  state.last = wordKinds.has(kind) && !ends ? "word" : "operand";
  state.word = word;
  state.wordEnd = stream.pos;
  return kind;
}

/** A bracket: '[' directly behind a name opens an index, elsewhere a unit. */
function bracketToken(stream: Stream, state: State): string | null {
  const at = stream.pos, c = stream.peek() ?? "";
  if ("([{".includes(c)) {
    stream.next();
    state.unit = c === "[" && state.wordEnd !== at;
    if (!state.unit) state.brackets += c;
    state.last = c === "{" ? "brace" : "operator";
    return "bracket";
  }
  if (!")]}".includes(c)) return null;
  stream.next();
  if (state.brackets.endsWith("([{"[")]}".indexOf(c)] ?? "")) state.brackets = state.brackets.slice(0, -1);
  state.last = "operand";
  return "bracket";
}

function signToken(stream: Stream, state: State): string {
  if (stream.match(/^'+/)) {
    state.last = "operand";
    return "prime";
  }
  if (stream.match("..") || stream.match(/^[<>=]=?/) || stream.match(/^[-+*/^!]/)) {
    if (state.word !== "formulation") state.word = "";
    state.last = "operator";
    return "operator";
  }
  const c = stream.next();
  state.last = c === "," ? "comma" : c === "." ? "dot" : c === ":" ? "colon" : c === ";" ? "start" : "operator";
  return c === "," || c === "." || c === ":" || c === ";" ? "punctuation" : "invalid";
}

function token(stream: Stream, state: State): string | null {
  if (stream.sol()) {
    state.wordEnd = -1;
    state.unit = false;
  }
  if (state.unit && !stream.eatSpace()) return unitToken(stream, state);
  if (stream.eatSpace() || stream.eol()) return null;
  if (state.unit) return null;
  if (stream.peek() === "#") {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match(/^"(?:\\["\\]|[^"])*"?/)) {
    state.last = "operand";
    return "string";
  }
  const first = !stream.string.slice(0, stream.pos).trim();
  const found = numberToken(stream, state) ?? wordToken(stream, state, first) ?? bracketToken(stream, state);
  return found ?? signToken(stream, state);
}

// Names of tokens that CodeMirror knows itself (property, …) keep its own tags whatever the table says.
const parser: StreamParser<State> = {
  name: "pfaff",
  startState: () => ({ brackets: "", last: "start", word: "", wordEnd: -1, statement: "", unit: false }),
  copyState: (state) => ({ ...state }),
  token,
  indent(state, textAfter, context) {
    const closes = /^\s*[)\]}]/.test(textAfter) ? 1 : 0;
    return Math.max(0, state.brackets.length - closes)*context.unit;
  },
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*[)\]}]$/,
    autocomplete: [
      ...words.statements.map((label) => ({ label, type: "keyword" })),
      ...[...words.clauses, ...words.connectives, ...words.context].map((label) => ({ label, type: "keyword", boost: -1 })),
      ...words.functions.map((label) => ({ label, type: "function" })),
      ...words.constants.map((label) => ({ label, type: "constant" })),
      ...[...words.properties, ...words.settings].map((label) => ({ label, type: "property" })),
    ],
  },
  tokenTable: {
    statement: tags.keyword, declare: tags.definitionKeyword, control: tags.controlKeyword, clause: tags.keyword,
    context: tags.keyword, connective: tags.operatorKeyword, operator: tags.operator, prime: tags.derefOperator,
    function: tags.standard(tags.function(tags.variableName)), calledFunction: tags.function(tags.variableName),
    definedFunction: tags.definition(tags.function(tags.variableName)), definition: tags.definition(tags.variableName),
    label: tags.labelName, name: tags.variableName, member: tags.propertyName, ofBlock: tags.attributeName,
    constant: tags.atom, shown: tags.special(tags.variableName), unit: tags.unit, number: tags.number, string: tags.string,
    comment: tags.lineComment, bracket: tags.bracket, punctuation: tags.punctuation, invalid: tags.invalid,
  },
};

const language = StreamLanguage.define(parser);

/** Colours, indentation, comments and words to complete, for the extensions of an editor. */
export function pfaffLanguage(): LanguageSupport {
  return new LanguageSupport(language);
}
