# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs: colours for models (```pf), by the words of editors/words.json."""
import json
import pathlib

from pygments import lexers
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

WORDS = json.loads((pathlib.Path(__file__).resolve().parents[2]/"editors/words.json").read_text())


def listed(*names):
    return words([word for name in names for word in WORDS[name]], prefix=r"\b", suffix=r"\b")


class PfLexer(RegexLexer):
    name, aliases, filenames = "Pfaff", ["pf"], ["*.pf"]
    tokens = {"root": [
        (r"#.*", Comment.Single),
        (r'"[^"\n]*"', String),
        (r"(?<= )\[[^\]\n]*\]", Name.Decorator),   # a unit
        (listed("statements"), Keyword),
        (listed("clauses", "connectives", "context"), Keyword.Pseudo),
        (listed("functions"), Name.Builtin),
        (listed("constants"), Name.Constant),
        (r"(\d+(\.(?!\.)\d*)?|\.\d+)([eE][-+]?\d+)?", Number),
        (r"[A-Za-z_]\w*'*", Name),
        (r"[-+*/^=<>!]", Operator),
        (r"[\[\](){},;:.]", Punctuation),
        (r"\s+|.", Text)]}


lexers.LEXERS["PfLexer"] = (__name__, PfLexer.name, tuple(PfLexer.aliases), tuple(PfLexer.filenames), ())
lexers._lexer_cache[PfLexer.name] = PfLexer   # what stands in a hook cannot be imported by name
