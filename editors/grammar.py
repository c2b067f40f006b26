# SPDX-License-Identifier: Apache-2.0
"""The TextMate grammar of the language, made of its words.

Expressions keep to what Oniguruma, JavaScript and Python read alike: no look-behind of varying length."""
import re

NAME = r"[A-Za-z_]\w*"
NUMBER = r"(?<!\w)(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?"

# Words that are ordinary names unless they stand behind roll, on, inside and outside, with.
BEHIND = ("disc", "surface", "sphere", "impulse")


def choice(words):
    """Any of the words; the longest first, so that none hides another."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w))) + ")"


def word(words):
    """Any of the words as a whole, and not as the member of something."""
    return rf"(?<![\w.]){choice(words)}(?!\w)|(?<=\.\.){choice(words)}(?!\w)"


def unit_pattern(words):
    return rf"{choice(words['prefixes'])}?{choice(words['prefixed_units'])}|{choice(words['units'])}"


def rule(pattern, name):
    return {"match": pattern, "name": f"{name}.pfaff"}


def captured(pattern, *names):
    """A rule that names its groups, in their order; None leaves one plain, '$…' reads it by a rule of the grammar."""
    captures = {}
    for i, name in enumerate(names):
        if name and name.startswith("$"):
            captures[str(i + 1)] = {"patterns": [{"include": "#" + name[1:]}]}
        elif name:
            captures[str(i + 1)] = {"name": f"{name}.pfaff"}
    return {"match": pattern, "captures": captures}


def bracketed(begin, end, name, *included):
    """Brackets with something inside, over as many lines as it takes."""
    patterns = [{"include": "#" + item} for item in included]
    return {"begin": begin, "end": end, "beginCaptures": {"0": {"name": f"punctuation.{name}.begin.pfaff"}},
            "endCaptures": {"0": {"name": f"punctuation.{name}.end.pfaff"}}, "patterns": patterns}


def units(words):
    """A unit follows anything but a name, where '[' opens an index."""
    inside = [rule(rf"(?<![^\W\d_])(?:{unit_pattern(words)})(?![^\W\d_])", "support.type.unit"),
              rule(r"[-+]?\d+", "constant.numeric.unit"), rule(r"[*/^]", "keyword.operator.unit")]
    bracket = "punctuation.section.unit"
    return {"unit": {"patterns": [
                captured(rf"({NUMBER})(\[)([^\]]*)(\])", "constant.numeric", bracket, "$inside-unit", bracket),
                captured(r"(?<!\w)(\[)([^\]]*)(\])", bracket, "$inside-unit", bracket)]},
            "inside-unit": {"patterns": inside}}


def numbers():
    runs_into_name = rf"{NUMBER}(?![eE][+-]?\d)[A-Za-z_]\w*"
    return {"patterns": [rule(runs_into_name, "invalid.illegal.number"), rule(NUMBER, "constant.numeric")]}


def strings():
    return {"begin": '"', "end": r'"|$', "name": "string.quoted.double.pfaff",
            "patterns": [rule(r'\\["\\]', "constant.character.escape")]}


def declarations(words):
    """Names where they are given: behind body, …, and as labels of constraints."""
    labels = choice(words["labelled"])
    return {"patterns": [
        captured(rf"(?<![\w.])(roll)\s+(?:({NAME})(\[[^\]]*\])?\s*(:)\s*)?(disc|ball)\s+({NAME})",
                 "keyword.other.statement", "entity.name.label", "$index", "punctuation.separator.label",
                 "keyword.other.context", "variable.other"),
        captured(rf"(?<![\w.])({labels})\s+({NAME})(\[[^\]]*\])?\s*(:)", "keyword.other.statement",
                 "entity.name.label", "$index", "punctuation.separator.label"),
        captured(rf"(?<![\w.])(body|frame|point|part|model)\s+({NAME})", "storage.type", "entity.name.type"),
        captured(rf"(?<![\w.])(let)\s+({NAME})(?=\()", "storage.type", "entity.name.function"),
        captured(rf"(?<![\w.])(by)\s+({choice(words['integrators'])})(?!\w)", "keyword.other.clause",
                 "support.constant.integrator"),
        captured(rf"(?<![\w.])(as)\s+({choice(words['shapes'])})(?=\s*\()", "keyword.other.clause",
                 "support.class.shape"),
        captured(rf"(?<![\w.])(as)\s+({NAME})", "keyword.other.clause", "entity.name.type"),
    ]}


def context(words):
    """turn, free, ball, …: behind a complete operand, or first in a line that goes on with the one before."""
    anywhere = [w for w in words["context"] if w not in BEHIND]
    operand = r"(?<=[\w)\]}'])" + "".join(
        rf"(?<!\b{w})" for w in words["statements"] + words["clauses"] + words["connectives"])
    patterns = [captured(r"\s*(?<![\w.])(on)\s+(surface)(?=\s+[A-Za-z_])", "keyword.other.clause", "keyword.other.context"),
                captured(r"\s*(?<![\w.])(inside|outside)\s+(sphere)(?!\w)", "keyword.other.context", "keyword.other.context"),
                captured(r"\s*(?<![\w.])(with)\s+(impulse|torque)(?!\w)", "keyword.other.context", "keyword.other.context"),
                captured(r"(,)\s*(impulse|torque)(?=\s)", "punctuation.separator", "keyword.other.context"),
                captured(rf"{operand}\s+({choice(anywhere)})(?![\w.'(])", "keyword.other.context"),
                captured(rf"^\s*({choice(anywhere)})(?!\w)(?!\s*[=.'(])", "keyword.other.context")]
    return {"patterns": patterns}


def plain_words(words):
    """Words that mean the same wherever they stand."""
    others = [w for w in words["statements"] if w not in words["declaring"] + words["controlling"]]
    return {"patterns": [
        rule(word(words["declaring"]), "storage.type"), rule(word(words["controlling"]), "keyword.control"),
        rule(word(others), "keyword.other.statement"), rule(word(words["clauses"]), "keyword.other.clause"),
        rule(word(words["connectives"]), "keyword.operator.word"),
    ]}


def names(words):
    return {"patterns": [
        captured(rf"(\.)({NAME})", "punctuation.accessor", "variable.other.member"),
        rule(rf"(?:{word(words['constants'])})", "constant.language"),
        rule(rf"(?:{word(words['shown'])})", "support.variable"),
        rule(rf"(?<![\w.]){NAME}(?=\()", "entity.name.function"),
        rule(rf"(?<!\w){NAME}", "variable.other"),
    ]}


def operators():
    return {"patterns": [
        rule(r"\.\.", "keyword.operator.range"), rule(r"'+", "keyword.operator.derivative"),
        rule(r"<=|>=|==|<|>", "keyword.operator.comparison"), rule(r"[-+*/^]", "keyword.operator.arithmetic"),
        rule(r"=", "keyword.operator.assignment"), rule(r"!", "keyword.operator.firm"),
        rule(r",", "punctuation.separator"), rule(r";", "punctuation.terminator"),
    ]}


def properties(words):
    """Of a block { mass m, com (0, 0, 1) }: they begin it, a line of it, or follow a comma."""
    before = r"(?:(?<=[{,])|^)\s*"
    value = r"(?!\w)(?=\s*=|\s+[^\s=])"
    return {"patterns": [
        captured(rf"{before}(formulation)(\s*=?\s*)({choice(words['formulations'])})(?!\w)",
                 "variable.parameter.property", "$operator", "support.constant.formulation"),
        captured(rf"{before}({choice(words['properties'] + words['settings'])}){value}", "variable.parameter.property"),
    ]}


def grammar(words):
    expression = ("comment", "string", "range", "unit", "number", "function", "declaration", "context", "word", "paren",
                  "index", "brace", "name", "operator")
    functions = rf"(?<![\w.]){choice(words['functions'])}(?=\s*\()"
    repository = {
        "all": {"patterns": [{"include": "#" + item} for item in expression]},
        "comment": rule(r"#.*$", "comment.line.number-sign"), "string": strings(), "number": numbers(),
        "range": rule(r"\.\.", "keyword.operator.range"), "function": rule(functions, "support.function"),
        "declaration": declarations(words), "context": context(words), "word": plain_words(words),
        "paren": bracketed(r"\(", r"\)", "section.parens", "all"),
        "index": bracketed(r"(?<=\w)\[", r"\]", "section.index", "all"),
        "brace": bracketed(r"\{", r"\}", "section.block", "property", "all"),
        "property": properties(words), "name": names(words), "operator": operators(), **units(words),
    }
    return {"$comment": "made by editors/make.py", "name": "Pfaff", "scopeName": "source.pfaff", "fileTypes": ["pf"],
            "patterns": [{"include": "#all"}], "repository": repository}
