# SPDX-License-Identifier: Apache-2.0
"""What somebody does first who has installed the wheel; no library of the system but those of every Linux, and HDF5, may be
loaded.

    try_wheel.py EXAMPLES
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

OURS = re.compile(r"lib(flint|gmp|mpfr|ntl|gf2x|sundials_\w+|expat|zstd|hdf5\w*)[.-]")


def loaded():
    with open("/proc/self/maps") as file:
        return {line.split()[-1] for line in file if OURS.search(line)}


before = loaded()  # Debian's Python has expat
start = time.perf_counter()
import pfaff
seconds = time.perf_counter() - start


def try_tables(m):
    """Tables of sweeps: compressed by our own zstd; as HDF5 only where the system has that library, and otherwise said to be so."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["sweep", "--param", "Jr=1..2:3", "--take", "x", "--for", "0.1", "-"]
        assert pfaff.command(*words[:-1], "--out", os.path.join(folder, "a.zarr"), "-", text=m.text)[0] == 0
        code, _, said = pfaff.command(*words[:-1], "--out", os.path.join(folder, "a.h5"), "-", text=m.text)
        assert code == 0 or "libhdf5" in said and ".mat" in said and ".zarr" in said, said


def main(examples):
    assert loaded() == before, "an import loads nothing"
    m = pfaff.load(os.path.join(examples, "skates", "snakeboard.pf"))
    assert m.derive("laconic").equations[1].lhs == "Jr*w_psi'"
    assert m.run(1, by="cvode_adams").end == "reached the end" and m.run(1, by="ida").end == "reached the end"
    assert abs(m.linearize().eigenvalues.imag).max() > 8
    assert m.accelerations(m.simulate().q).shape == (6,)
    assert len(pfaff.import_urdf(os.path.join(examples, "robots", "arm7.urdf")).coordinates) == 7
    assert m.prove().proved
    try_tables(m)
    if (pathlib.Path(pfaff.__file__).parent/"share"/"page.html").exists():
        assert "snakeboard" in m.page().html
    version = subprocess.run([sys.executable, "-m", "pfaff", "version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith(f"pfaff {pfaff.__version__}")
    folder = str(pathlib.Path(pfaff.__file__).resolve().parents[1]/"pfaff.libs")
    ours = [path for path in loaded() - before if "hdf5" not in path]
    assert ours and all(path.startswith(folder) for path in ours), ours
    print(f"pfaff {pfaff.__version__} from the wheel: {len(ours)} libraries of its own, imported in {1e3*seconds:.0f} ms")


main(sys.argv[1])
