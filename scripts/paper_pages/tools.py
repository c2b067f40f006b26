# SPDX-License-Identifier: Apache-2.0
"""What the pages of all papers are made with: calls of the program, tables that compare, figures, small matrices."""
import json
import math
import pathlib
import subprocess


SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Failure(Exception):
    """A command failed, or a number is not what the page says of it."""


class Program:
    """The program, called in the source directory. Pages show its calls as a reader would type them."""

    def __init__(self, path, source, place, pictures=None, times=True):
        self.path, self.source, self.place = str(pathlib.Path(path).resolve()), pathlib.Path(source), pathlib.Path(place)
        self.pictures = pictures and pathlib.Path(pictures)  # None: no pictures are made
        self.times = times                                   # False: nothing is measured

    def call(self, *arguments, code=0):
        done = subprocess.run([self.path, *map(str, arguments)], cwd=self.source, capture_output=True, text=True, timeout=240)
        if done.returncode != code:
            raise Failure(f"pfaff {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
        return done.stderr if code else done.stdout

    def json(self, *arguments):
        return json.loads(self.call(*arguments, "--json"))

    def run(self, model, *options):
        """A run: its columns by name, in the units of the model; the rest of the JSON text under 'summary'."""
        answer = self.json("run", *options, model)
        columns = {name: [row[i] for row in answer["rows"]] for i, name in enumerate(answer["columns"])}
        columns["summary"] = {key: answer[key] for key in answer if key != "rows"}
        return columns

    def evaluate(self, model, *options):
        """Accelerations and multipliers by name, and everything else of eval --json."""
        answer = self.json("eval", *options, model)
        for key in ("q", "v", "acceleration", "constraint_force"):
            answer[key] = dict(zip(answer["coordinates"], answer[key]))
        return answer

    def model(self, name, text):
        """A model of a page's own, in a file that is gone afterwards."""
        file = self.place / name
        file.write_text(text, encoding="utf-8")
        return file

    def table(self, name, columns):
        """Columns as a CSV file for pfaff plot; None is a gap."""
        file = self.place / name
        rows = zip(*columns.values())
        lines = [",".join(columns)] + [",".join("" if x is None else repr(float(x)) for x in row) for row in rows]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file


def example(name):
    """The path of a model of examples/, whatever family it is in."""
    found = [str(path.relative_to(SOURCE)) for path in sorted((SOURCE / "examples").glob(f"*/{name}.pf"))]
    if len(found) != 1:
        raise Failure(f"examples/*/{name}.pf: {found}")
    return found[0]


def number(x, digits=10):
    """A number as the pages write it. What is below 1e-11 of what it is compared with should be written by order()."""
    if isinstance(x, str):
        return x
    if x == 0:
        return "0"
    return f"{x:.{digits}g}"


def order(x):
    """One digit and the power of ten: for differences and violations, whose digits say nothing."""
    return "0" if x == 0 else f"{abs(x):.0e}".replace("e-0", "e-").replace("e+0", "e")


MADE = "<!-- SPDX-License-Identifier: Apache-2.0. Made by 'make papers' (scripts/papers.py): edit that, not this. -->"


class Page:
    def __init__(self, program, title, source, short):
        self.program, self.lines = program, [MADE, f"# {title}", "", source, "", f"*In short.* {short}", ""]

    def head(self, text):
        self.lines += [f"## {text}", ""]

    def say(self, text):
        self.lines += [*text.strip().splitlines(), ""]

    def code(self, text):
        self.lines += ["```text", *text.rstrip().splitlines(), "```", ""]

    def show(self, *arguments, until=None, without=None):
        """A command and what it prints, up to a line that begins with 'until'."""
        out = self.program.call(*arguments).splitlines()
        if until:
            out = out[: next(i for i, line in enumerate(out) if line.startswith(until))]
        if without:
            out = [line for line in out if not any(word in line for word in without)]
        self.code("\n".join([f"$ pfaff {quoted(arguments)}", *out]))

    def plain_table(self, heads, rows):
        if any("|" in str(cell) for row in rows for cell in row):
            raise Failure(f"a bar in a cell of {rows}")
        self.lines += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        self.lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]

    def figure(self, file, caption, *arguments, told=True, words=()):
        """A picture by the program; 'told' adds the command, which must then work for a reader. words: pairs of texts, such as the
        name of a table that is gone, and what stands in their place."""
        if self.program.pictures:
            picture = self.program.pictures / file
            self.program.call(*arguments, "--out", picture)
            replace(picture, words)
        self.lines += [f"![{caption}](images/{file})", "", caption]
        if told:
            self.lines[-1] += f" (`pfaff {quoted(arguments)} --out {file}`)"
        self.lines += [""]

    def timed(self, write):
        """What is measured differs from machine to machine: it is written, and not compared by the test."""
        self.lines += ["<!-- measured -->", ""]
        if self.program.times:
            write()
        self.lines += ["<!-- end of measured -->", ""]

    def compare(self, heads=("quantity", "paper", "Pfaff", "difference", "verdict")):
        return Compared(self, heads)

    def text(self):
        return "\n".join(self.lines).rstrip() + "\n"


class Compared:
    """A table of the numbers of a paper beside ours. Rows that do not turn out as they say stop the page."""

    def __init__(self, page, heads):
        self.page, self.heads, self.rows = page, heads, []

    def agrees(self, what, theirs, ours, within, digits=12, verdict="agrees"):
        gap = abs(ours - theirs)
        if not gap <= within:
            raise Failure(f"{what}: {ours!r} is not {theirs!r} within {within}")
        self.rows.append((what, number(theirs, digits), number(ours, digits), order(gap), verdict))

    def differs(self, what, theirs, ours, verdict, digits=6, beyond=0.0):
        gap = abs(ours - theirs)
        if not gap > beyond:
            raise Failure(f"{what}: {ours!r} should differ from {theirs!r} by more than {beyond}")
        self.rows.append((what, number(theirs, digits), number(ours, digits), f"{gap:.3g}", verdict))

    def at_most(self, what, theirs, ours, verdict="smaller"):
        """The paper tells an order of magnitude, as a bound."""
        if not abs(ours) <= theirs:
            raise Failure(f"{what}: {ours!r} is more than {theirs}")
        self.rows.append((what, order(theirs), order(ours), "", verdict))

    def row(self, what, theirs, ours, gap="", verdict=""):
        self.rows.append((what, theirs, ours, gap, verdict))

    def write(self):
        self.page.plain_table(self.heads, self.rows)


def replace(picture, words):
    """Texts of an SVG picture, each a whole element."""
    if words and picture.exists():
        text = picture.read_text(encoding="utf-8")
        for old, new in words:
            if f">{old}</text>" not in text:
                raise Failure(f"{picture.name}: no text '{old}'")
            text = text.replace(f">{old}</text>", f">{new}</text>")
        picture.write_text(text, encoding="utf-8")


def quoted(arguments):
    def one(word):
        word = str(word)
        if not word or any(c in word for c in " ';[]()*\"$&|<>"):
            return f'"{word}"'
        return word
    return " ".join(map(one, arguments))


def largest(values):
    return max(abs(x) for x in values)


def difference(a, b, names):
    """The largest difference of columns of two runs with the same rows."""
    if len(a[names[0]]) != len(b[names[0]]):
        raise Failure("runs with different rows")
    return max(abs(x - y) for name in names for x, y in zip(a[name], b[name]))


def reference(program, name):
    """A file of tests/reference: columns by name."""
    lines = [line for line in (program.source / "tests/reference" / name).read_text(encoding="utf-8").splitlines() if line and line[0] !=
    "#"]
    names = lines[0].split(",")
    rows = [[float(x) if is_number(x) else x for x in line.split(",")] for line in lines[1:]]
    return {n: [row[i] for row in rows] for i, n in enumerate(names)}


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


# Matrices as lists of rows: enough for 6 x 6.
def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transpose(a):
    return [list(column) for column in zip(*a)]


def plus(a, b, factor=1):
    return [[x + factor * y for x, y in zip(p, q)] for p, q in zip(a, b)]


def column(values):
    return [[x] for x in values]


def solve(a, b):
    """a x = b for a matrix b of columns, by elimination with row pivots; fractions stay fractions."""
    n = len(a)
    rows = [list(p) + list(q) for p, q in zip(a, b)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i and rows[k][i] != 0:
                f = rows[k][i] / rows[i][i]
                rows[k] = [x - f * y for x, y in zip(rows[k], rows[i])]
    return [[x / rows[i][i] for x in rows[i][n:]] for i in range(n)]


def inverse(a):
    n = len(a)
    return solve(a, [[int(i == j) for j in range(n)] for i in range(n)])


def far(a, b):
    """The largest difference of two matrices, relative to the largest element of the first."""
    gap = max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))
    return gap / max(abs(x) for p in a for x in p)


def rank(a, cut=1e-9):
    rows, r = [list(map(float, p)) for p in a], 0
    size = max(abs(x) for p in rows for x in p)
    for _ in range(min(len(rows), len(rows[0]))):
        i, j = max(((i, j) for i in range(r, len(rows)) for j in range(len(rows[0]))), key=lambda ij: abs(rows[ij[0]][ij[1]]))
        if abs(rows[i][j]) <= cut * size:
            break
        rows[r], rows[i] = rows[i], rows[r]
        for k in range(r + 1, len(rows)):
            f = rows[k][j] / rows[r][j]
            rows[k] = [x - f * y for x, y in zip(rows[k], rows[r])]
        r += 1
    return r


DEGREE = math.pi / 180
