# SPDX-License-Identifier: Apache-2.0
"""Names as mathematics: phi_b' is phi with the index b and a prime."""
from __future__ import annotations

import re

_GREEK = set("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega "
             "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split())
_NAME = re.compile(r"(?:(?P<of>[A-Za-z]\w*)\.)?(?P<base>[A-Za-z]+)(?P<number>\d*)(?:_(?P<index>\w+))?"
                   r"(?:\[(?P<place>[^\]]+)\])?(?P<primes>'*)$")


def _word(word: str) -> str:
    if word in _GREEK:
        return "\\" + word
    return word if len(word) == 1 or word.isdigit() else r"\mathrm{%s}" % word.replace("_", r"\_")


def label(name: str) -> str:
    """For Matplotlib: "lambda[rear]" becomes $\\lambda_{\\mathrm{rear}}$; what is no name stays as it is."""
    match = _NAME.match(name.strip())
    if not match:
        return name.replace("$", r"\$")
    below = [_word(part) for part in (match["number"], match["index"], match["of"]) if part]
    below += [_word(part.strip()) for part in (match["place"] or "").split(",") if part.strip()]
    index = "_{" + ",".join(below) + "}" if below else ""
    return f"${_word(match['base'])}{index}{match['primes']}$"
