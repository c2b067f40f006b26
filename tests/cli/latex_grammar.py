# SPDX-License-Identifier: Apache-2.0
"""Is it LaTeX? A small grammar for what 'pfaff derive --latex' writes: known commands, balanced braces, \\left and \\right in pairs,
no second index or exponent at the same thing, nothing that means something else to LaTeX.

Usage: latex_grammar.py FILE
"""
import re
import sys

COMMANDS = """frac sqrt left right dot ddot dddot ddddot overset mathrm cdot sin cos tan arcsin arccos arctan sinh cosh tanh ln min max
operatorname le land lor lnot begin end text , alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma
tau phi upsilon chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Upsilon Omega
boldsymbol times circ tfrac mathsf
notag qquad documentclass usepackage allowdisplaybreaks section subsection""".split() + ["\\", "_", "(", ")"]
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|\d+(?:\.\d+)?|[A-Za-z]|.", re.S)


def wrong(text):
    """What is wrong with it, or None."""
    open_braces, open_brackets, scripts, is_script = [], 0, set(), False
    is_document = text.startswith("\\documentclass")
    for match in TOKEN.finditer(text):
        token = match.group()
        where = f"at {text[max(0, match.start() - 30):match.end() + 10]!r}"
        if token.isspace():
            continue
        if token[0] == "\\" and token[1:] not in COMMANDS:
            return f"unknown command {token} {where}"
        if token in "_^":
            if token in scripts:
                return f"a second {token} {where}"
            scripts, is_script = scripts | {token}, True
            continue
        if token == "{":
            open_braces.append(scripts)
            scripts = set()
        elif token == "}":
            if not open_braces:
                return f"a brace too many {where}"
            scripts = open_braces.pop()  # what stood before the group still has its index
        else:
            if token in "#%~" or token == "$" and not is_document or ord(token[0]) < 32 or ord(token[0]) > 126:
                return f"{token!r} {where}"
            open_brackets += (token == "\\left") - (token == "\\right")
            scripts = scripts if is_script else set()
        is_script = False
    if open_braces or open_brackets:
        return "braces or brackets stay open"
    return None


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        reason = wrong(file.read())
    print(reason or "good")
    sys.exit(1 if reason else 0)
