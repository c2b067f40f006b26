# SPDX-License-Identifier: Apache-2.0
"""The words of the language, read from the tables of the program that reads it."""
import pathlib
import re

# What a statement does, for colours; the others are plain statements.
DECLARING = ["model", "param", "coord", "input", "speed", "let", "body", "frame", "point", "part"]
CONTROLLING = ["for", "use", "when", "lock", "unlock", "attach", "detach"]
LABELLED = ["constraint", "prescribe", "roll", "skate", "omni", "mecanum"]

ROOT = pathlib.Path(__file__).resolve().parent.parent


def source(name):
    """The text of a source file, with \\u03A9 and the like as the characters they are."""
    text = (ROOT/name).read_text(encoding="utf-8")
    return re.sub(r"\\u([0-9A-F]{4})", lambda m: chr(int(m[1], 16)), text)


def quoted(text):
    return re.findall(r'"([^"\s]+)"', text)


def table(name, start):
    """What stands between `start` and the next '};' of a file."""
    text = source(name)
    at = text.find(start)
    if at < 0:
        raise SystemExit(f"{name}: the table '{start}' is not there any more; mend editors/words.py")
    return text[at + len(start):text.index("};", at)]


def rows(name, start):
    """The first word of each row { "word", … } of a table."""
    return re.findall(r'\{"([^"]+)"', table(name, start))


def unique(words):
    return list(dict.fromkeys(words))


def statements():
    return re.findall(r'ENTRY\("(\w+)", \w+\)', source("src/lang/lex.h"))


def clauses():
    return re.search(r'clauses\[\] = "([^"]*)"', source("src/lang/lex.c"))[1].split()


def connectives():
    return unique(re.findall(r'memcmp\(word, "(\w+)"', source("src/lang/lex.c")))


def context_words():
    """What the parser looks for by its spelling and the lexer takes for a name: turn, free, disc, …"""
    found = []
    for path in sorted((ROOT/"src/lang").glob("parse*.c")):
        text = path.read_text(encoding="utf-8")
        found += re.findall(r'pf_parser_(?:accept_word|expect_word|sees)\(p, "(\w+)"', text)
        found += re.findall(r'strcmp\(word->text, "(\w+)"\)', text)
    reserved = statements() + clauses()
    return sorted(set(found) - set(reserved))


def functions():
    elementary = re.findall(r'PF_FUNCTION\(\w+, "(\w+)"', source("include/pfaff/functions.def"))
    builtin = rows("src/lang/call.c", "builtins[] = {")
    in_the_parser = re.findall(r'!strcmp\(name, "(\w+)"\)', source("src/lang/call.c").split("bool pf_is_builtin")[1])
    return [word for word in unique(elementary + builtin + in_the_parser) if word not in connectives()]


def constants():
    """'time' is reserved only to say that the time is called t."""
    return [word for word in rows("src/lang/scope.c", "} words[] = {") if word != "time"]


def shown():
    """Quantities of plot and --show that are no statements as well."""
    text = source("src/lang/shown.c") + source("src/lang/value.c")
    words = quoted(table("src/lang/shown.c", "words[] = {"))
    words += re.findall(r'pf_is_shown_name\(ck, scope, node, "(\w+)"\)', text)
    return sorted(set(words) - set(statements()))


def properties():
    """Of bodies, springs, contacts and pictures."""
    found = []
    for name in ("statement", "force", "contact"):
        for keys in re.findall(r"keys\[\] = \{([^}]*)\}", source(f"src/lang/{name}.c")):
            found += quoted(keys)
    return unique(found + re.findall(r'setting\(draw, "(\w+)"\)', source("src/scene/given.c")))


def settings():
    """Of run."""
    return unique(rows("src/sim/settings.c", "} numbers[] = ") +
                  re.findall(r'strcmp\(setting->key, "(\w+)"\)', source("src/sim/settings.c")))


def shapes():
    return rows("src/lang/output.c", "} shapes[] = ")


def integrators():
    return re.findall(r"&pf_method_(\w+)", table("src/time/methods.c", "methods[] = {"))


def formulations():
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT/"src/form").glob("*.c"))]
    return sorted(name for text in texts for name in re.findall(r'^\s+\.name = "(\w+)"', text, re.M))


def units():
    """(those that take a prefix, those that do not)"""
    entries = re.findall(r'\{"([^"]+)", (PREFIXED|PLAIN)', table("src/lang/units.c", "entries[] = {"))
    return ([name for name, kind in entries if kind == "PREFIXED"],
            [name for name, kind in entries if kind == "PLAIN"])


def words():
    prefixed, plain = units()
    gone = set(DECLARING + CONTROLLING + LABELLED) - set(statements())
    if gone:
        raise SystemExit(f"these are no statements any more: {sorted(gone)}; mend editors/words.py")
    return {
        "statements": statements(), "declaring": DECLARING, "controlling": CONTROLLING, "labelled": LABELLED,
        "clauses": clauses(), "connectives": connectives(), "context": context_words(),
        "functions": functions(), "constants": constants(), "shown": shown(), "properties": properties(),
        "settings": settings(), "shapes": shapes(), "integrators": integrators(), "formulations": formulations(),
        "units": plain, "prefixed_units": prefixed, "prefixes": rows("src/lang/units.c", "} prefixes[] = {"),
    }
