# SPDX-License-Identifier: Apache-2.0
"""What somebody does first who has installed the wheel; no library of the system but those of every Linux may be loaded.

    try_wheel.py EXAMPLES
"""
import os
import pathlib
import re
import subprocess
import sys
import time

start = time.perf_counter()
import pfaff
seconds = time.perf_counter() - start

OURS = re.compile(r"lib(flint|gmp|mpfr|ntl|gf2x|sundials_\w+|expat)[.-]")


def loaded():
    with open("/proc/self/maps") as file:
        return {line.split()[-1] for line in file if ".so" in line}


def main(examples):
    assert not any(OURS.search(path) for path in loaded()), "an import loads nothing"
    m = pfaff.load(os.path.join(examples, "skates", "snakeboard.pf"))
    assert m.derive("laconic").equations[1].lhs == "Jr*w_psi'"
    assert m.run(1, by="cvode_adams").end == "reached the end" and m.run(1, by="ida").end == "reached the end"
    assert abs(m.linearize().eigenvalues.imag).max() > 8
    assert m.accelerations(m.simulate().q).shape == (6,)
    assert len(pfaff.import_urdf(os.path.join(examples, "robots", "arm7.urdf")).coordinates) == 7
    assert m.prove().proved
    if (pathlib.Path(pfaff.__file__).parent/"share"/"page.html").exists():
        assert "snakeboard" in m.page().html
    version = subprocess.run([sys.executable, "-m", "pfaff", "version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith(f"pfaff {pfaff.__version__}")
    folder = str(pathlib.Path(pfaff.__file__).resolve().parents[1]/"pfaff.libs")
    ours = [path for path in loaded() if OURS.search(path)]
    assert ours and all(path.startswith(folder) for path in ours), ours
    print(f"pfaff {pfaff.__version__} from the wheel: {len(ours)} libraries of its own, imported in {1e3*seconds:.0f} ms")


main(sys.argv[1])
