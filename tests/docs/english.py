#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds turns of phrase in documents, comments and messages that make a technical text hard to read.

    english.py SOURCE-DIRECTORY                 the test: fails where a file has more findings than it may have
    english.py --list SOURCE-DIRECTORY [FILE…]  prints findings, with file, line, rule and advice
    english.py --write SOURCE-DIRECTORY         records the present number of findings of each file in tests/docs/english.txt
    english.py --self-test

Prose is Markdown without code; comments of C, Python and shell scripts, and of templates of such files (model.c.in); and string literals of at
least four words. A file of STRICT may
have BUDGET findings per thousand words. Every other file may have as many as tests/docs/english.txt records for it: fewer are recorded with
--write, more are a failure. A file that is not recorded has the budget of STRICT, and one finding at least.

A line with the word english-ok is left out (a quotation, a term of another program).
"""
import fnmatch
import pathlib
import re
import sys

BUDGET = 2  # findings per thousand words
STRICT = ["docs/glossary.md", "docs/c-api.md", "CONTRIBUTING.md", "include/pfaff/machine.h", "include/pfaff/report.h"]
LOOKED_AT = ["*.md", "docs/*.md", "src/**/*.[ch]", "src/export/text/*.in", "include/**/*.h", "fmu/*.[ch]", "mpi/*.c", "wasm/*.[ch]", "python/**/*.py", "python/**/*.[ch]",
             "tests/**/*.[ch]", "tests/**/*.py", "tests/**/*.sh", "scripts/**/*.py", "scripts/*.sh", "bench/**/*.[ch]", "bench/**/*.py"]
LEFT_OUT = ["*/node_modules/*", "python/build/*", "tests/docs/english.py"]

VERBS = "is|are|was|were|be|has|have|had|can|cannot|could|may|must|does|do|did|will|would|should|it|they|we|you|one|the|a|an|this|that|each|its|there"
TAKES_NOUN = ("shows?|finds?|takes?|holds?|gives?|uses?|reads?|writes?|prints?|keeps?|makes?|moves?|leaves?|changes?|removes?|draws?|computes?|lists?|allocates?|"
              "frees?|needs?|wants?|has|have|had|means?|contains?|drops?|skips?|refuses?|replaces?|returns?|copies|copy|evaluates?|sees?|adds?|puts?|gets?|knows?|"
              "measures?|compares?|follows?|becomes?|fixes|fix|forgets?|frees?|solves?|loses?|runs?|repeats?|simplif(?:y|ies)|collects?")

# rule: (pattern, advice); \s+ also crosses line ends. Matching ignores case.
RULES = {
    "relative": (r"(?<!\babout\s)\b(?:of|by|for|with|from|in|to|on|at|into|and|or|than|beside|behind|but|except|all|only|without|after|before|over|"
                 rf"against|below|above|between|under|like)\s+what\s+(?!if\b|kind\b|sort\b|else\b)\w+"
                 rf"|\b(?:{TAKES_NOUN})\s+what\s+(?!if\b|kind\b|sort\b|to\b)\w+"
                 rf"|(?:[.!:;,(|]|\n *\n|\A)\s*\bwhat\s+(?!if\b|kind\b|sort\b|to\b|about\b|else\b)\w+(?![^.!|]*\?)"
                 rf"|(?:[.!:;(|]|\n *\n|\A|\b(?:of|by|for|with|from|to|on|in|{TAKES_NOUN})\b)\s*\bwhatever\s+"
                 r"(?:is|are|was|were|has|have|can|cannot|may|must|comes?|goes|moves?|follows?)\b"
                 r"|\b(?:that which|those who)\b",
                 "a noun instead of a clause: 'outputs', not 'what is taken'"),
    "people": (r"\b(?:somebody|someone|nobody|no one|anybody|everybody|whoever|whomever)\b|\bin vain\b|\b(?:told|tells?|telling|asks|asked|asking)\b"
               r"|\b(?:is|are|be)\s+to\s+ask\b|\bgets?\s+to\s+know\b|\b(?:has|have)\s+a\s+look\b",
               "machines are not people: returns, reports, requests, without effect"),
    "is no": (r"(?<!there\s)(?<!where\s)\b(?:is|are|was|were|be|being|been)\s+(?:no\s+(?!longer\b|more\b|less\b|fewer\b|better\b|worse\b|larger\b|smaller\b|greater\b|"
              r"other\b|need\b|doubt\b|different\b|matter\b|such\b|wider\b|longer\b|shorter\b|later\b|earlier\b)\w+|none\b(?!\s+of))",
              "'is not an error' instead of 'is no error'"),
    "place": (r"\bbeside\b|\bbehind\b(?!\s+(?:one|an|a|the\s+same|this)\s+(?:\w+\s+)?(?:file|interface|header|library|flag|door))"
              r"|\b(?:generated|computed|derived|compiled|built|printed|written|drawn)\s+of\b",
              "after, next to, from"),
    "mend": (r"\bmend(?:s|ed|ing)?\b|\b(?:come|comes|came|coming)\s+loose\b", "fix, repair, release"),
}
RULES = {rule: (re.compile(pattern, re.I), advice) for rule, (pattern, advice) in RULES.items()}

# Sentences of a paragraph without any word that can be a verb: no ending of one, none of these.
NO_VERB = "a sentence needs a verb"
VERB_FORMS = set("""is are was were be been am has have had do does did can cannot could may might must will would shall should let make take give get go come
see say know think find put keep hold run read write use need want set show look move turn build stay mean work call try start stop add call choose open close begin end
follow print print draw save load install remove compile depend include return cost say apply contain hold lie stand sit fall rise grow shrink change copy help allow
prefer expect differ agree obey replace belong exist describe compare cover carry enter reach share wait skip see fit made took gave got went came saw said knew found kept
held ran wrote began stood told left lost met sent built felt dealt became fail pass order cite cut call mark note press type click drag multiply divide integrate solve drop
define declare insert place treat check test measure count tell ask answer mix point stick slide roll slip touch meet join bind bring buy pay win lead leave feed bend hang
handle forget remember listen lack own prove refer vary act live link list name accept avoid collect combine consist continue convert create decide deliver derive detect
determine do evaluate explain express extend fill free generate happen imply keep keep interpolate investigate look match miss obtain occur offer omit pick plot produce protect
provide quote receive recommend recompute record refuse release rely repeat report represent request require restart reuse save search select separate sort split step store
study suffice support suppose switch trust understand update verify visit watch wish yield speak learn suggest""".split())


def findings_of_sentences(prose):
    """Sentences of paragraphs in Markdown that cannot have a verb: (offset, text)."""
    for paragraph in re.finditer(r"(?:^(?![-*|#>\d\s]|:).+\n)+", prose, re.M):
        for sentence in re.finditer(r"(?:(?<=^)|(?<=[.!?]\s))[A-Z][^.!?:;|]*[.]", paragraph[0]):
            words = re.findall(r"[A-Za-z']+", sentence[0])
            if len(words) >= 5 and not re.search(r"=|\bX", sentence[0]) and not any(re.search(r"(?:s|ed|en|ing|n't|'s)$", word) or word.lower() in VERB_FORMS for word in words):
                yield paragraph.start() + sentence.start(), sentence[0]


# ---------------------------------------------------------------- prose of a file: code is replaced by bars, line ends are kept

def blank(text):
    return re.sub(r"[^\S\n]*\S[^\n]*", " | ", text)


def is_sentence(text, quote):
    """Is the text of a literal for people? Code for other programs, keys and formats are not; the string of a docstring always is."""
    if len(quote) == 3:
        return True
    text = re.sub(r"\{[\w.!:%-]*\}", "X", text)
    if re.search(r"[{}]|;\s*(?:\\n)?$|\*/|#include|\b(?:double|const|void|static|import|typedef|self)\b.*[;(=]|</?\w+|^\s*usage:", text):
        return False
    return len(re.findall(r"(?<![\w\\%.=\-/])[a-z]{2,}(?![\w(=.]\w)", text)) >= 4


def plain_string(text):
    """The text between quotes, with escapes and quotes of adjacent literals as blanks."""
    text = re.sub(r'"\s*"', lambda match: match[0].replace('"', " "), text)
    return re.sub(r"\\.|%[-+ #0-9.*l]*[a-zA-Z]", lambda match: "X"*len(match[0]) if match[0][0] == "%" else " "*len(match[0]), text)


def prose_of_code(text, tokens, comment):
    """Everything but comments and sentences in strings becomes bars; the quotes between adjacent literals become blanks."""
    parts, end = [], 0
    for token in tokens.finditer(text):
        parts.append(blank(text[end:token.start()]))
        end = token.end()
        if token["comment"]:
            parts.append(comment(token[0]))
        elif is_sentence(token["string"], token["quote"]):
            quote = len(token["quote"])
            inner = token[0][quote:-quote]
            parts.append(" "*quote + plain_string(inner) + " "*quote)
        else:
            parts.append(blank(token[0]))
    return "".join(parts) + blank(text[end:])


C_TOKENS = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<quote>["'])(?P<string>(?:\\.|(?!(?P=quote))[^\\\n])*(?:"\s*"(?:\\.|[^"\\\n])*)*)(?P=quote)""",
                      re.S)
PY_TOKENS = re.compile(r"""(?P<comment>\#[^\n]*)|(?P<quote>\"{3}|'{3}|["'])(?P<string>(?:\\.|(?!(?P=quote)).)*?)(?P=quote)""", re.S)
SH_TOKENS = re.compile(r"""(?:(?<=\s)|^)(?P<comment>\#[^\n]*)|(?P<quote>["'])(?P<string>(?:\\.|(?!(?P=quote))[^\\])*?)(?P=quote)""", re.S | re.M)


def c_comment(text):
    text = re.sub(r"(?m)^(\s*)\*(?!/)", r"\1 ", text.replace("/*", "| ").replace("*/", " |").replace("//", "| "))
    return re.sub(r"`[^`\n]*`|SPDX.*", lambda match: "X"*len(match[0]), text)


def script_comment(text):
    return re.sub(r"SPDX.*|!/.*", lambda match: blank(match[0]), "|" + text[1:])


def prose_of_markdown(text):
    text = re.sub(r"^```.*?^```\s*$", lambda match: blank(match[0]), text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->|<[^>\n]+>", lambda match: blank(match[0]), text, flags=re.S)
    text = re.sub(r"^#+\s+What\b[^\n]*", lambda match: blank(match[0]), text, flags=re.M)
    text = re.sub(r"^ {4,}(?![-*]).*", lambda match: blank(match[0]), text, flags=re.M)
    text = re.sub(r"`[^`]*`", lambda match: re.sub(r"\S", "X", match[0]), text)
    return re.sub(r"\]\([^)\n]*\)", lambda match: "]" + " "*(len(match[0]) - 1), text)


def prose(path, text):
    path = path.with_suffix("") if path.suffix == ".in" else path
    if path.suffix == ".md":
        return prose_of_markdown(text)
    if path.suffix in (".c", ".h"):
        return prose_of_code(text, C_TOKENS, c_comment)
    return prose_of_code(text, SH_TOKENS if path.suffix == ".sh" else PY_TOKENS, script_comment)


# ---------------------------------------------------------------- findings

EDGE = " \n|.!:;,("
SAYS = re.compile(r"\b(?:says?|said|knows?|decides?|explains?|states?|describes?|reports?|records?|remembers?|see|shows?)\b[^.!?|]*$", re.I)


def is_question(body, match):
    """'says where it was and what happened': the clause after a comma or 'and' is an indirect question."""
    return re.match(r"(?:and|or|what)\b", match[0].lstrip(EDGE), re.I) is not None and SAYS.search(body, max(0, match.start() - 120), match.start()) is not None


def findings(path, text):
    """(line, rule, words, advice), and the number of words."""
    body = prose(path, text)
    lines = text.splitlines()
    found = [(match.end() - len(match[0].lstrip(EDGE)), rule, match[0].lstrip(EDGE), advice) for rule, (pattern, advice) in RULES.items() for match in pattern.finditer(body)
             if not (rule == "relative" and is_question(body, match))]
    if path.suffix == ".md":
        found += [(start, "verb", words, NO_VERB) for start, words in findings_of_sentences(body)]
    result = []
    for start, rule, words, advice in sorted(found):
        line = body.count("\n", 0, start) + 1
        if "english-ok" not in lines[line - 1]:
            result.append((line, rule, " ".join(words.split()), advice))
    return result, len(re.findall(r"\b[A-Za-z]{2,}\b", re.sub(r"\bX+\b", "", body)))


def files(root):
    names = {path.relative_to(root).as_posix() for pattern in LOOKED_AT for path in root.glob(pattern) if path.is_file()}
    return sorted(name for name in names if not any(fnmatch.fnmatch(name, left) for left in LEFT_OUT))


def read_ceilings(root):
    """tests/docs/english.txt: a folder, then its files with their numbers."""
    ceilings = {}
    for line in (root/"tests/docs/english.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            folder, *entries = line.split()
            for entry in entries:
                name, _, count = entry.rpartition(":")
                ceilings[name if folder == "." else f"{folder}/{name}"] = int(count)
    return ceilings


def write_ceilings(root, counts):
    folders = {}
    for name, count in counts.items():
        if count:
            folder, _, file = name.rpartition("/")
            folders.setdefault(folder or ".", []).append(f"{file}:{count}")
    lines = ["# Findings of tests/docs/english.py that files have, and may not exceed; `tests/docs/english.py --write .` records fewer."]
    lines += [f"{folder} {' '.join(entries)}" for folder, entries in sorted(folders.items())]
    (root/"tests/docs/english.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def is_strict(name):
    return any(fnmatch.fnmatch(name, pattern) for pattern in STRICT)


def allowed(name, words, ceilings):
    budget = -(-BUDGET*words//1000)
    return budget if is_strict(name) else max(budget, ceilings.get(name, 1))


def list_findings(root, name):
    path = root/name
    found, words = findings(path, path.read_text(encoding="utf-8", errors="replace"))
    for line, rule, text, advice in found:
        print(f"{name}:{line}: {rule}: '{text}' ({advice})")
    return len(found), words


def check(root):
    ceilings, wrong, total, all_words = read_ceilings(root), 0, 0, 0
    for name in files(root):
        found, words = findings(root/name, (root/name).read_text(encoding="utf-8", errors="replace"))
        most = allowed(name, words, ceilings)
        total, all_words = total + len(found), all_words + words
        if len(found) > most:
            wrong += 1
            print(f"{name}: {len(found)} findings in {words} words, at most {most} are allowed:")
            list_findings(root, name)
    print(f"{total} findings in {all_words} words, {1000*total/max(all_words, 1):.1f} per thousand; {wrong} files with too many")
    return wrong


# ---------------------------------------------------------------- self-test

# file name, text, the rule that must be found ("" = none)
CASES = [
    ("a.md", "The table of what is taken has a head.", "relative"),
    ("a.md", "The solver holds what sticks.", "relative"),
    ("a.md", "It works. What depends is removed.", "relative"),
    ("a.md", "Parts move, what is left stays.", "relative"),
    ("a.md", "Text.\n\nWhat depends on it is removed.", "relative"),
    ("a.md", "Whatever can fail returns a status.", "relative"),
    ("a.md", "The message says where it was, and what happened.", ""),
    ("a.md", "The parameters and what depends on them are read.", "relative"),
    ("a.md", "The message says what to do.", ""),
    ("a.md", "This shows what to install first.", ""),
    ("a.md", "# What a model is\n\nA model is a file.", ""),
    ("a.md", "What is a constraint? A relation between velocities.", ""),
    ("a.md", "The bits are the same, whatever was done before.", ""),
    ("a.md", "This is a door for whatever moves time.", "relative"),
    ("a.md", "The rows are the same whatever the order of the constraints.", ""),
    ("a.md", "It depends on what kind of joint is used.", ""),
    ("a.md", "Nobody reads the file.", "people"),
    ("a.md", "The user is told the rank.", "people"),
    ("a.md", "The step asks for memory.", "people"),
    ("a.md", "A task masks the interrupt.", ""),
    ("a.md", "The solver waits in vain.", "people"),
    ("a.md", "This is no error.", "is no"),
    ("a.md", "There is no error.", ""),
    ("a.md", "There are\nno errors, and a node is no longer used.", ""),
    ("a.md", "The residual is no larger than the tolerance.", ""),
    ("a.md", "A reason is none of these.", ""),
    ("a.md", "The result is none.", "is no"),
    ("a.md", "The number beside the name is the rank.", "place"),
    ("a.md", "Besides the name, the rank is printed.", ""),
    ("a.md", "LAPACK is behind one file.", ""),
    ("a.md", "The unit is written behind the name.", "place"),
    ("a.md", "The page is generated of the table.", "place"),
    ("a.md", "The mean of computed values is printed.", ""),
    ("a.md", "`make format` mends blanks.", "mend"),
    ("a.md", "The amendment is recommended.", ""),
    ("a.md", "A short rule about the old method.", "verb"),
    ("a.md", "The method is short and old by now.", ""),
    ("a.md", "- a list item about the old method.", ""),
    ("a.md", "```sh\nnobody is told\n```\n", ""),
    ("a.md", "The command `nobody` exists.", ""),
    ("a.md", "A quotation: nobody is perfect. <!-- english-ok -->", ""),
    ("a.c", "/* Removes what is left\n * of the row. */\nint what_is(int a);\n", "relative"),
    ("a.c", "int behind = 0, beside = somebody(told);\n", ""),
    ("a.c", 'fail(ctx, "this start is no solution of the constraints");', "is no"),
    ("a.c", 'fail(ctx, "the rows that %s has are "\n     "told by name");', "people"),
    ("a.c", 'put(out, "double beside = 1; nobody(x);");', ""),
    ("a.c", 'set(ctx, "all of", "what is it");', ""),
    ("a.c", 'set("beside"); /* a key */', ""),
    ("a.py", "# Nobody calls this.\nx = 'beside'\n", "people"),
    ("a.py", 'def f():\n    """Returns what is left."""\n', "relative"),
    ("a.py", "raise ValueError(f'{name} is no name of a quantity here')\n", "is no"),
    ("a.sh", "#!/bin/sh\n# Mends the tree.\necho \"$#\"\n", "mend"),
]


def self_test():
    wrong = 0
    for name, text, expected in CASES:
        rules = {rule for _, rule, _, _ in findings(pathlib.PurePath(name), text + "\n")[0]}
        if rules != ({expected} if expected else set()):
            wrong += 1
            print(f"{name} with {text!r}: expected {expected or 'nothing'}, found {', '.join(sorted(rules)) or 'nothing'}")
    print(f"{len(CASES) - wrong} of {len(CASES)} texts are judged rightly")
    return wrong


def main():
    options = {"--list", "--write", "--self-test"} & set(sys.argv[1:2])
    arguments = sys.argv[1 + len(options):]
    if "--self-test" in options:
        sys.exit(1 if self_test() else 0)
    if not arguments:
        sys.exit(__doc__)
    root = pathlib.Path(arguments[0])
    if "--list" in options:
        counts = [list_findings(root, name) for name in arguments[1:] or files(root)]
        found, words = map(sum, zip(*counts))
        print(f"{found} findings in {words} words, {1000*found/max(words, 1):.1f} per thousand")
    elif "--write" in options:
        write_ceilings(root, {name: len(findings(root/name, (root/name).read_text(encoding="utf-8", errors="replace"))[0])
                              for name in files(root) if not is_strict(name)})
    else:
        sys.exit(1 if check(root) else 0)


main()
