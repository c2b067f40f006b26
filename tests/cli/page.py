# SPDX-License-Identifier: Apache-2.0
"""Pages of 'pfaff page': page.py PFAFF SOURCE

What is put into a page is read back by the HTML parser and the JSON parser of Python: the model as it was, whatever is in it; trajectories
as they were, with the poses that 'pfaff run --poses' writes; many rows made fewer without losing an extreme.
"""
import base64
import csv
import html.parser
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
empty = source/"tests"/"page"/"page.html"
examples = source/"examples"
failures = []


def expect(what, holds, found=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what} {found}")


def call(place, *words):
    result = subprocess.run([program, *words], capture_output=True, cwd=place, check=False, stdin=subprocess.DEVNULL)
    return result.returncode, result.stdout.decode("utf-8"), result.stderr.decode("utf-8", "replace")


class Parts(html.parser.HTMLParser):
    """Tags in their order, and the text of title and script."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.open = [], {"title": "", "script": ""}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open = tag

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open in self.texts:
            self.texts[self.open] += data


def read(path, what):
    text = path.read_bytes().decode("utf-8")
    parts = Parts(text)
    expect(f"{what}: no further element", parts.tags == ["html", "meta", "title", "script"], parts.tags)
    body = parts.texts["script"]
    expect(f"{what}: nothing that could end the element", not set("<>&\u2028\u2029") & set(body))
    return parts.texts["title"], json.loads(body)


# ---------------------------------------------------------------- text

HOSTILE = ["</script>", "<script>alert(1)</script>", "<!--", "-->", "]]>", "<![CDATA[", "&lt;", "&amp;quot;", "'", "\\\"", "\\", "\\u003c", "\\input{x}", "$\\alpha$",
           "</title>", "<img src=x onerror=alert(1)>", "\u2028", "\u2029", "\u202e", "\u200b", "\U000e0001", "\U0001f600", "θ", "%s%n", "{}", "javascript:", "\t"]


def texts_come_back(place):
    chance = random.Random(1)
    for i in range(60):
        title = "".join(chance.sample(HOSTILE, 3)).replace('"', "'").replace("\\", "/") if i % 2 else "".join(chance.sample(HOSTILE, 2)).replace('"', "")
        comment = " ".join(chance.sample(HOSTILE, 6))
        text = f'model m "{title}"\n# {comment}\nparam k = 2 [N/m]\ncoord x [m]\nkinetic x\'^2*1 [kg]/2\npotential k*x^2/2\n'
        model, page = pathlib.Path(place, "m.pf"), pathlib.Path(place, "m.html")
        model.write_bytes(text.encode("utf-8"))
        page.unlink(missing_ok=True)
        code, _, err = call(place, "page", "--template", empty, "m.pf")
        if code:
            expect(f"{title!r} is refused with words", "error" in err and not page.exists(), err)
            continue
        shown, data = read(page, repr(text))
        expect(f"{comment!r} comes back", data["text"] == text, data["text"])
        expect(f"{title!r} is the title", shown and not any(ord(c) < 32 for c in shown), shown)
        expect("the equations are there", "multipliers" in data["derived"] and data["derived"]["multipliers"]["seconds"] is None)


def names_come_back(place):
    for name in ("a b.pf", "<b>.pf", "'\".pf", "&amp;.pf", "-->.pf", "ä.pf", "</script><script>alert(1)"):
        name = name.replace("/", "_")
        pathlib.Path(place, name).write_bytes((examples/"wheels/cart.pf").read_bytes())
        code, _, err = call(place, "page", "--template", empty, "--out", "n.html", "--", f"./{name}")
        expect(f"{name}: works", code == 0, err)
        expect(f"{name}: comes back", read(pathlib.Path(place, "n.html"), name)[1]["file"] == name)


def other_bytes_are_refused(place):
    page = pathlib.Path(place, "bytes.html")
    for bad in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xbc", b"\x00", b"\xf5\x80\x80\x80"):
        for where in (b"# %s\n", b"model m \"%s\"\n"):
            pathlib.Path(place, "bytes.pf").write_bytes(where.replace(b"%s", bad) + b"coord x [m]\nkinetic x'^2*1 [kg]/2\n")
            code, _, err = call(place, "page", "--template", empty, "bytes.pf")
            expect(f"{bad} is refused", code == 1 and "error" in err and not page.exists(), err)
    text = b"\xef\xbb\xbfcoord x [m]\r\nkinetic x'^2*1 [kg]/2\r\n"
    pathlib.Path(place, "bytes.pf").write_bytes(text)
    code, _, err = call(place, "page", "--template", empty, "bytes.pf")
    expect("a mark and other ends of lines", code == 0, err)
    if code == 0:
        expect("come back", read(page, "mark")[1]["text"].encode("utf-8").replace(b"\xef\xbb\xbf", b"") == text[3:])


def options_come_back(place):
    code, _, err = call(place, "page", "--template", empty, "-o", "o.html", "-p", "m=7", "-p", "L = 20 [cm]", "-s", "theta=30 [deg]", "-s", "psi'=2", "--by", "rk4", "--step=1/100",
                        "--for", "5", "--every", "10 [ms]", "--no-projection", "--form", "maggi", examples/"skates/snakeboard.pf")
    expect("options are taken", code == 0, err)
    run = read(pathlib.Path(place, "o.html"), "options")[1]["run"]
    wanted = {"param": {"m": "7", "L": " 20 [cm]"}, "state": {"theta": "30 [deg]", "psi'": "2"}, "by": "rk4", "step": 0.01, "for": 5, "every": 0.01,
              "no-projection": True, "form": "maggi"}
    strip = lambda d: {k: strip(v) if isinstance(v, dict) else v.strip() if isinstance(v, str) else v for k, v in d.items()}
    expect("options come back", strip(run) == strip(wanted), run)
    words = []
    for name, value in run.items():
        words += [f"--{name}"] if value is True else [f"--{name}={k}={v}" for k, v in value.items()] if isinstance(value, dict) else [f"--{name}={value}"]
    code, _, err = call(place, "run", *words, examples/"skates/snakeboard.pf")
    expect("a run takes them", code == 0, err)


def equations_are_those_of_derive(place):
    call(place, "page", "--template", empty, "-o", "d.html", examples/"wheels/unicycle.pf")
    derived = read(pathlib.Path(place, "d.html"), "equations")[1]["derived"]
    for form, found in derived.items():
        own = json.loads(call(place, "derive", "--json", "--form", form, examples/"wheels/unicycle.pf")[1])
        own["seconds"] = None
        expect(f"{form} is that of derive", own == found)
    expect("all forms", list(derived) == ["multipliers", "rosenberg", "rosenberg_extended", "udwadia_kalaba", "maggi", "laconic", "gibbs_appell",
                                             "kane", "chaplygin", "voronets", "boltzmann_hamel", "hamilton", "hamel_wrong"], list(derived))


# ---------------------------------------------------------------- trajectories

def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    return lines[0], [[float(x) if x else math.nan for x in line] for line in lines[1:]]


def numbers(track, key, letter):
    data = base64.b64decode(track[key], validate=True)
    return struct.unpack(f"<{len(data)//struct.calcsize(letter)}{letter}", data)


def tracks_come_back(place):
    for name, more in (("snakeboard_bodies", []), ("hand", []), ("spacecraft", ["--for", "6"]), ("ball_in_bowl", []), ("capture", [])):
        model = next(examples.glob(f"*/{name}.pf"))
        call(place, "run", *more, "--every", "0.1", "--out", "r.csv", "--poses", "p.csv", model)
        code, out, err = call(place, "page", "--template", empty, "-o", "r.html", *more, "r.csv", model)
        expect(f"{name}: a page", code == 0, err)
        track = read(pathlib.Path(place, "r.html"), name)[1]["tracks"][0]
        head, rows = table(pathlib.Path(place, "r.csv"))
        flat = numbers(track, "data", "d")
        heads = [f"{c} [{u}]" if u else c for c, u in zip(track["columns"], track["units"])]
        expect(f"{name}: the columns", heads == head and track["name"] == "r.csv", heads)
        same = lambda a, b: a == b or (math.isnan(a) and math.isnan(b))
        expect(f"{name}: the numbers", len(rows) == track["rows"] == track["of"] and all(same(a, b) for a, b in zip(flat, [x for row in rows for x in row])))
        poses = [x for row in table(pathlib.Path(place, "p.csv"))[1] for x in row[1:]]
        found = numbers(track, "poses", "f")
        expect(f"{name}: as many poses", track["stride"] == 1 and len(found) == len(poses), (len(found), len(poses)))
        worst = max(abs(a - b)/max(1, abs(b)) for a, b in zip(found, poses))
        expect(f"{name}: the poses of a run", worst < 1e-6, worst)


def units_are_those_of_the_model(place):
    model = examples/"skates/snakeboard_bodies.pf"
    call(place, "run", "--every", "0.5", "--show", "x [mm], y, theta [deg], psi, phi_b, phi_f", "--out", "u.csv", model)
    call(place, "run", "--every", "0.5", "--show", "x, y, theta, psi, phi_b, phi_f", "--out", "v.csv", model)
    text = pathlib.Path(place, "u.csv").read_text(encoding="utf-8")
    expect("other units", "x [mm]" in text and "theta [deg]" in text, text[:80])
    call(place, "page", "--template", empty, "-o", "u.html", "u.csv", "v.csv", model)
    one, other = read(pathlib.Path(place, "u.html"), "units")[1]["tracks"]
    expect("one unit", one["units"] == other["units"] == ["s", "m", "m", "rad", "rad", "rad", "rad"], one["units"])
    for key, letter in (("data", "d"), ("poses", "f")):
        pairs = list(zip(numbers(one, key, letter), numbers(other, key, letter)))
        known = [(a, b) for a, b in pairs if not (math.isnan(a) and math.isnan(b))]  # without multipliers no forces
        expect(f"the same {key}", all(abs(a - b) < (1e-12 if letter == "d" else 1e-6)*max(1, abs(b)) for a, b in known))
        expect(f"most {key} are known", len(known) > 0.8*len(pairs), (len(known), len(pairs)))


def extremes_remain(place):
    count, spike = 200000, 123457
    with open(pathlib.Path(place, "long.csv"), "w", encoding="utf-8") as file:
        file.write("t [ms],x [m],y\n")
        for i in range(count):
            file.write(f"{i},{math.sin(1e-3*i) + (50 if i == spike else 0)!r},{-7.5 if i == spike + 1 else i % 2}\n")
    code, out, err = call(place, "page", "--template", empty, "-o", "long.html", "long.csv", examples/"skates/snakeboard_bodies.pf")
    expect("a long trajectory", code == 0 and f"of {count} rows" in out, out + err)
    track = read(pathlib.Path(place, "long.html"), "long")[1]["tracks"][0]
    flat = numbers(track, "data", "d")
    t, x, y = flat[::3], flat[1::3], flat[2::3]
    expect("it is shorter", track["of"] == count and 10000 <= track["rows"] == len(t) <= 20000, track["rows"])
    expect("the times are in s, and in order", t[0] == 0 and abs(t[-1] - (count - 1)/1000) < 1e-9 and all(a < b for a, b in zip(t, t[1:])) and track["units"][0] == "s")
    expect("all extremes are there", max(x) > 49 and min(y) == -7.5 and max(y) == 1 and abs(t[x.index(max(x))] - spike/1000) < 1e-9)
    expect("no stretch is empty", max(b - a for a, b in zip(t, t[1:])) < 0.05, max(b - a for a, b in zip(t, t[1:])))
    expect("no poses, and why", track["poses"] is None and "theta" in track["diagnostic"], track["diagnostic"])


def files_too_large_say_so(place):
    head, wide = "t,x," + ",".join(f"c{i}" for i in range(300)), ",1"*300
    with open(pathlib.Path(place, "wide.csv"), "w", encoding="utf-8") as file:
        file.write(head + "\n")
        for i in range(15000):
            file.write(f"{i},{i}{wide}\n")
    words = ["page", "--template", empty, "-o", "wide.html", "wide.csv", "wide.csv", examples/"skates/snakeboard_bodies.pf"]
    code, _, err = call(place, *words)
    expect("too much is refused", code == 1 and "more than 64 MB" in err and not pathlib.Path(place, "wide.html").exists(), err)


with tempfile.TemporaryDirectory() as directory:
    for test in (texts_come_back, names_come_back, other_bytes_are_refused, options_come_back, equations_are_those_of_derive, tracks_come_back, units_are_those_of_the_model,
                 extremes_remain, files_too_large_say_so):
        test(directory)
sys.exit(1 if failures else 0)
