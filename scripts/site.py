#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation as a static site with search and a gallery in which every example moves; nothing is loaded from the network.

    site.py PFAFF FOLDER        with mkdocs-material beside this Python; the site is FOLDER/site

Pages are the files of docs/; the gallery is made of the examples that the program has, each with its picture, and live where
page/dist/playground.html was built; the reference of the Python package is made of its docstrings, without importing it."""
import ast
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIG = """site_name: Pfaff
site_description: Constrained mechanical systems, nonholonomic ones first
docs_dir: pages
site_dir: site
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.sections, navigation.indexes, search.highlight, content.code.copy]
  palette:
    - {media: "(prefers-color-scheme: light)", scheme: default, primary: blue grey, toggle: {icon: material/weather-night, name: dark}}
    - {media: "(prefers-color-scheme: dark)", scheme: slate, primary: blue grey, toggle: {icon: material/weather-sunny, name: light}}
plugins: [search, offline]
hooks: [HOOK]
extra_css: [gallery.css]
markdown_extensions: [tables, attr_list, md_in_html, toc: {permalink: true}, pymdownx.superfences, pymdownx.highlight: {use_pygments: true}]
validation: {links: {not_found: warn, anchors: warn, unrecognized_links: warn}}
nav:
"""
STYLE = """.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 1rem; }
.gallery a { display: block; text-align: center; border: 1px solid var(--md-default-fg-color--lightest); border-radius: .3rem; padding: .5rem; color: inherit; }
.gallery img, .machine { background: #fff; width: 100%; height: 10rem; object-fit: contain; }
.machine { height: auto; max-height: 26rem; }
.md-typeset table:not([class]) th, .md-typeset table:not([class]) td { padding: .5em; min-width: 3.5rem; }
iframe.live { width: 100%; height: 42rem; border: 1px solid var(--md-default-fg-color--lightest); }
"""
# the order of the menu; what is not named follows
ORDER = {"Begin": ["tutorial", "cookbook", "language", "commands", "equations", "glossary"],
         "Come from": ["from-sympy", "from-mujoco", "from-modelica"],
         "Use": ["python", "c-api", "export", "fmu", "native", "real-time", "page", "sweeps", "editors"],
         "Understand": ["formulations", "integrators", "analysis", "spatial", "trust", "performance", "architecture"]}


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], text=True, capture_output=True, **options)
    if done.returncode: sys.exit(f"{' '.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def copy_docs(pages):
    """docs/ as it is; the README becomes the front page, its links begin in docs/."""
    shutil.copytree(ROOT/"docs", pages)
    front = (ROOT/"README.md").read_text()
    front = front.replace("](docs/", "](").replace('src="docs/', 'src="')
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "bench/README.md", "python/README.md", "editors/README.md", "wasm/README.md"):
        if f"]({name})" not in front: continue
        target = pages/"project"/(name.replace("/", "-").removesuffix(".md").lower() + ".md")
        target.parent.mkdir(exist_ok=True)
        text = (ROOT/name).read_text()
        target.write_text(text if name.endswith(".md") else f"# Licence\n\n```\n{text}\n```\n")
        front = front.replace(f"]({name})", f"](project/{target.name})")
    (pages/"index.md").write_text(front)
    (pages/"gallery.css").write_text(STYLE)


def leave_outside(pages):
    """Links to examples lead to the gallery; those to what is not part of the site, as sources, become words."""
    for path in pages.rglob("*.md"):
        up = "../"*(len(path.relative_to(pages).parts) - 1)
        def settle(match):
            words, target = match[1], match[2]
            place = target.split("#")[0]
            if re.match(r"[a-z]+:", target) or not place or (path.parent/place).exists(): return match[0]
            example = re.search(r"\bexamples/[\w-]+/(\w+)\.pf$", place)
            return f"[{words}]({up}gallery/{example[1]}.md)" if example else words
        text = path.read_text()
        path.write_text(re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)", settle, text))


def make_gallery(pfaff, pages):
    """A page of each example and one of each family; returns [(family, [name])]."""
    live = ROOT/"page/dist/playground.html"
    folder = pages/"gallery"
    folder.mkdir()
    if live.exists(): shutil.copy(live, folder/"playground.html")
    families = {}
    for example in json.loads(run(pfaff, "examples", "--json"))["examples"]:
        families.setdefault(example["family"], []).append(example)
    for family, examples in families.items():
        for example in examples: make_example(pfaff, folder, example, live.exists())
        shown = [card(folder, f"{e['name']}.html", e["name"], e["title"]) for e in examples]
        (folder/f"family-{family}.md").write_text(f"# {title_of(family)}\n\n{cards(shown)}")
    shown = [card(folder, f"family-{family}.html", pictured(folder, examples), f"{title_of(family)}: {len(examples)}") for family, examples in families.items()]
    (folder/"index.md").write_text("# Gallery\n\nModels that come with the program, by families, each with its page on which it moves. `pfaff examples` lists them, "
                                   f"`pfaff new NAME --from EXAMPLE` copies one.\n\n{cards(shown)}")
    return [(family, [e["name"] for e in examples]) for family, examples in families.items()]


def title_of(family):
    return family.replace("-", " ").capitalize()


def pictured(folder, examples):
    """The first one of a family that has a picture."""
    names = [example["name"] for example in examples]
    return next((name for name in names if (folder/"images"/f"{name}.svg").exists()), names[0])


def card(folder, target, picture, words):
    image = f'<img src="images/{picture}.svg" alt="" loading="lazy"><br>' if (folder/"images"/f"{picture}.svg").exists() else ""
    return f'<a href="{target}">{image}{words}</a>'


def cards(shown):
    return '<div class="gallery">\n' + "\n".join(shown) + "\n</div>\n"


def make_example(pfaff, folder, example, live):
    name = example["name"]
    source = next(iter(ROOT.glob(f"examples/*/{name}.pf")))
    images = folder/"images"
    images.mkdir(exist_ok=True)
    # a model that has no places has its curves for a picture
    drawn = any(subprocess.run([pfaff, how, "--out", images/f"{name}.svg", source], capture_output=True).returncode == 0 for how in ("draw", "plot"))
    about = re.sub(r"^(Look at|Source|Try):", r"**\1**:", example["about"], flags=re.M)
    parts = [f"# {example['title']}\n", about.replace("\n**", "\n\n**")]
    if drawn: parts.append(f'![{example["title"]}](images/{name}.svg){{ .machine }}\n')
    if live: parts.append(f'<iframe class="live" loading="lazy" title="{name} in motion" src="playground.html#example={name}.pf"></iframe>\n\n'
                          f'[on a page of its own](playground.html#example={name}.pf)\n')
    parts.append(f"## Model\n\n```pf\n{source.read_text()}```\n")
    parts.append(f"## Try\n\n```sh\npfaff new {name} --from {name}\npfaff check {name}.pf\npfaff derive {name}.pf\npfaff plot {name}.pf\npfaff page {name}.pf\n```\n")
    (folder/f"{name}.md").write_text("\n".join(parts))


# ---------------------------------------------------------------- the Python package

def signature(node):
    return f"{node.name}({ast.unparse(node.args)})"


def documented(body):
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_") and ast.get_docstring(node): yield node


def write_doc(node):
    """Indented examples of a docstring as code."""
    text = ast.get_docstring(node)
    return re.sub(r"((?:^>>> .*\n?|^\.\.\. .*\n?)(?:^(?!\s*$).*\n?)*)", lambda m: f"```pycon\n{m[1].rstrip()}\n```\n", text, flags=re.M)


def make_reference(pages):
    parts = ["# The Python package, by name\n\nThe story is in [python.md](python.md).\n"]
    for path in sorted((ROOT/"python/pfaff").glob("*.py")):
        for node in documented(ast.parse(path.read_text()).body):
            heading = signature(node) if isinstance(node, ast.FunctionDef) else node.name
            parts.append(f"## {node.name}\n\n`{heading}`\n\n{write_doc(node)}\n")
            if isinstance(node, ast.ClassDef):
                parts += [f"### {node.name}.{child.name}\n\n`{signature(child)}`\n\n{write_doc(child)}\n" for child in documented(node.body)]
    (pages/"python-reference.md").write_text("\n".join(parts))


# ---------------------------------------------------------------- the menu, and what is built

def heading(path):
    """MkDocs does not see it behind a comment."""
    return re.search(r"^# (.*)", path.read_text(), flags=re.M)[1]


def menu(pages, families):
    lines = ["  - Front page: index.md"]
    left = {path.stem for path in pages.glob("*.md")} - {"index"}
    for title, names in ORDER.items():
        names = [name for name in names if name in left]
        if title == "Use": names.insert(1, "python-reference")
        left -= set(names)
        if names: lines += [f"  - {title}:"] + [f"      - {name}.md" for name in names]
    if left: lines += ["  - More:"] + [f"      - {name}.md" for name in sorted(left)]
    if (pages/"papers").exists(): lines += ["  - Papers:", "      - papers/README.md"] + [f'      - "{heading(path)}": papers/{path.name}' for path in sorted((pages/"papers").glob("[0-9]*.md"))]
    lines += ["  - Gallery:", "      - gallery/index.md"]
    for family, names in families:
        lines += [f"      - {title_of(family)}:", f"          - gallery/family-{family}.md"] + [f"          - gallery/{name}.md" for name in names]
    if (pages/"project").exists(): lines += ["  - Project:"] + [f"      - project/{path.name}" for path in sorted((pages/"project").glob("*.md"))]
    return "\n".join(lines) + "\n"


def search_without_server(site):
    """The theme would fetch this script from the network: ours stands in its place."""
    shutil.copy(ROOT/"scripts/site/worker.js", site/"assets/worker.js")
    for path in site.rglob("*.html"):
        if path.name == "playground.html": continue
        up = "../"*(len(path.relative_to(site).parts) - 1)
        path.write_text(re.sub(r"https://unpkg\.com/iframe-worker[^\"' >]*", f"{up}assets/worker.js", path.read_text()))


class Links(html.parser.HTMLParser):
    """Where a page leads, what it loads, and its anchors."""

    def __init__(self):
        super().__init__()
        self.leads, self.loads, self.anchors = [], [], set()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"): self.anchors.add(values["id"])
        if tag == "a" and values.get("href"): self.leads.append(values["href"])
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev", "alternate") and values.get("href"): self.loads.append(values["href"])
        if tag in ("script", "img", "iframe", "source") and values.get("src"): self.loads.append(values["src"])


def check_links(site):
    """Every place that a page leads to is there, and nothing is loaded from elsewhere."""
    pages, wrong = {}, []
    for path in site.rglob("*.html"):
        if path.name == "playground.html": continue
        pages[path] = Links()
        pages[path].feed(path.read_text())
    for path, page in pages.items():
        for target in page.leads + page.loads:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loads and parts.scheme != "data": wrong.append(f"{path.relative_to(site)} loads {target}")
                continue
            place = (path.parent/urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if place.is_dir(): place = place/"index.html"
            if path.name == "404.html": continue
            if not place.exists(): wrong.append(f"{path.relative_to(site)}: {target} is not there")
            elif parts.fragment and place in pages and urllib.parse.unquote(parts.fragment) not in pages[place].anchors and parts.fragment != "__comments":
                wrong.append(f"{path.relative_to(site)}: {target} has no such place")
    return wrong, len(pages)


def main():
    if len(sys.argv) != 3: sys.exit(__doc__)
    pfaff, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    pages = folder/"pages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    copy_docs(pages)
    families = make_gallery(pfaff, pages)
    make_reference(pages)
    leave_outside(pages)
    (folder/"mkdocs.yml").write_text(CONFIG.replace("HOOK", str(ROOT/"scripts/site/colours.py")) + menu(pages, families))
    run(sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", folder/"mkdocs.yml")
    search_without_server(folder/"site")
    wrong, count = check_links(folder/"site")
    print("\n".join(wrong))
    print(f"{count} pages, {len(wrong)} broken links: {folder/'site'/'index.html'}")
    sys.exit(bool(wrong))


if __name__ == "__main__": main()
