#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emacs' mode: faces at the marked places, indentation, flymake, layout: emacs.py PROGRAM SOURCE_DIRECTORY"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import places

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
MODE = ROOT/"editors/emacs/pfaff-mode.el"
FACES = {"word": {"font-lock-keyword-face"}, "name": {"", "default"},
         "entity": {"font-lock-type-face", "font-lock-constant-face", "font-lock-function-name-face"},
         "property": {"font-lock-variable-name-face"}, "function": {"font-lock-builtin-face"},
         "constant": {"font-lock-constant-face"}, "shown": {"font-lock-variable-name-face"}, "number": {""},
         "unit": {"font-lock-type-face"}, "string": {"font-lock-string-face"},
         "comment": {"font-lock-comment-face", "font-lock-comment-delimiter-face"}}
failures = []

FACES_OF_FILE = """
(with-current-buffer (find-file-noselect file)
  (font-lock-mode 1) (font-lock-ensure)
  (princ (json-encode (mapcar (lambda (i) (format "%s" (or (get-text-property i 'face) "")))
                              (number-sequence 1 (1- (point-max)))))))
"""
INDENT = """
(with-current-buffer (find-file-noselect file)
  (indent-region (point-min) (point-max))
  (princ (json-encode (buffer-substring-no-properties (point-min) (point-max)))))
"""
FLYMAKE = """
(with-current-buffer (find-file-noselect file)
  (let (found done)
    (pfaff-flymake (lambda (list &rest _) (setq found list done t)))
    (while (not done) (accept-process-output nil 0.05))
    (princ (json-encode
            (vconcat (mapcar (lambda (d)
                               (vector (format "%s" (flymake-diagnostic-type d))
                                       (buffer-substring-no-properties (flymake-diagnostic-beg d) (flymake-diagnostic-end d))
                                       (flymake-diagnostic-text d)))
                             found))))))
"""
LAYOUT = """
(with-current-buffer (find-file-noselect file)
  (pfaff-format)
  (princ (json-encode (buffer-substring-no-properties (point-min) (point-max)))))
"""
PROPER = """model a
for i in 1..3 {
  body b in ground at (1,
                       2, 3) turn q[i] about z {
    mass 1
  }
}
force x = a +
  b
kinetic x'^2
"""


def expect(good, what):
    if not good:
        failures.append(what)


def emacs(folder, text, form):
    """What the form says about a file with this text."""
    file = folder/"a b's.pf"
    file.write_text(text, encoding="utf-8")
    script = folder/"script.el"
    script.write_text(f"(require 'json)\n(set-language-environment \"UTF-8\")\n(setq pfaff-program {json.dumps(PROGRAM)})\n"
                      f"(let ((file {json.dumps(str(file))}))\n{form})\n", encoding="utf-8")
    run = subprocess.run(["emacs", "-Q", "--batch", "-l", MODE, "-l", script], capture_output=True, text=True, check=False,
                         timeout=120, stdin=subprocess.DEVNULL)
    if run.returncode:
        raise SystemExit(f"emacs: {run.stdout}{run.stderr}")
    return json.loads(run.stdout)


def faces(folder, lines):
    """The faces of each character of each line."""
    found, at = emacs(folder, "\n".join(lines) + "\n", FACES_OF_FILE), 0
    for line in lines:
        yield found[at:at + len(line)]
        at += len(line) + 1


def test_faces(folder):
    lines = places.lines()
    found = list(faces(folder, lines))
    for line, at, word, scope in places.places():
        kind = places.kind(scope)
        if kind:
            names = set(found[lines.index(line)][at:at + len(word)])
            expect(names <= FACES[kind], f"'{word}' at {at + 1} of '{line}' is {names}, not {kind}")


def test_words(folder):
    words = json.loads((ROOT/"editors/words.json").read_text(encoding="utf-8"))
    lists = [("statements", "{} x", 0, "word"), ("clauses", "a {} b", 2, "word"), ("connectives", "a {} b", 2, "word"),
             ("functions", "x*{}(1)", 2, "function"), ("constants", "x*{}*y", 2, "constant"), ("units", "2 [{}]", 3, "unit"),
             ("prefixed_units", "2 [k{}]", 3, "unit"), ("properties", "{{ {} 1 }}", 2, "property"),
             ("settings", "{{ {} = 1 }}", 2, "property"), ("integrators", "run 1 by {}", 9, "constant")]
    cases = [(word, form.format(word), at, kind) for key, form, at, kind in lists for word in words[key]]
    for (word, line, at, kind), names in zip(cases, faces(folder, [line for _, line, _, _ in cases])):
        expect(names[at] in FACES[kind], f"'{word}' in '{line}' is '{names[at]}', not {kind}")


def test_indentation(folder):
    flat = "\n".join(line.strip() for line in PROPER.splitlines()) + "\n"
    found = emacs(folder, flat, INDENT)
    expect(found == PROPER, f"indentation:\n{found}")


def test_flymake(folder):
    found = emacs(folder, "model a \"é😀\"; coord x [m]; kinetic 1 [kg]*(x'^2 + wrong)\n", FLYMAKE)
    expect(len(found) == 1 and found[0][:2] == [":error", "wrong"], f"flymake: {found}")
    expect(not emacs(folder, "model a\ncoord x\nkinetic x'^2\n", FLYMAKE), "flymake finds fault with a good model")
    for text in ("", "body a in ground {", "coord x [m", "model \"😀"):
        expect(emacs(folder, text, FLYMAKE), f"flymake finds nothing wrong with {text!r}")


def test_layout(folder):
    good, messy, bad = "model a\ncoord x [m]\n", "model   a\ncoord  x [m]\n", "body (\n"
    for text, wanted in ((messy, good), (good, good), (bad, bad)):
        expect(emacs(folder, text, LAYOUT) == wanted, f"layout of {text!r}")


def test_compiles(folder):
    """Without a warning."""
    copy = shutil.copy(MODE, folder)
    run = subprocess.run(["emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile",
                          copy], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    expect(run.returncode == 0, run.stderr)


def main():
    if not shutil.which("emacs"):
        print("skipped: emacs is not here")
        return 77
    with tempfile.TemporaryDirectory() as name:
        for test in (test_faces, test_words, test_indentation, test_flymake, test_layout, test_compiles):
            test(pathlib.Path(name))
    print("\n".join(failures[:30]))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
