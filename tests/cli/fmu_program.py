# SPDX-License-Identifier: Apache-2.0
"""A program around the C sources of an FMU, for tests that look inside without an importer."""
import os
import re
import subprocess
import xml.etree.ElementTree as xml
import zipfile


def compiled(pfaff, path, folder, program, compiler, library=False):
    """The program, and the variables of the FMU by name. In the text of the program the model is called `model`. With `library` the FMU must
    have its library as well, for which all sources are one text."""
    done = subprocess.run([pfaff, "export", "--to", "fmu", "--form", "multipliers", "-o", folder/"model.fmu", path], check=True,
                          capture_output=True, text=True, env=os.environ if library else {**os.environ, "PFAFF_CC": "false"})
    with zipfile.ZipFile(folder/"model.fmu") as archive: archive.extractall(folder)
    if library and not (folder/"binaries").exists(): raise RuntimeError(f"no library: {done.stdout} {done.stderr}")
    sources = folder/"sources"
    text = (sources/"fmu_model.h").read_text()
    name, upper = re.search(r'#include "(\w+)\.h"', text)[1], re.search(r"(\w+)_FMU_GUID", text)[1]
    (sources/"main.c").write_text(re.sub(r"\bMODEL_", upper + "_", re.sub(r"\bmodel_", name + "_", program)))
    files = [file for file in sources.glob("*.c") if not re.match(r"pf_|fmi|fmu_door|fmu_derivatives", file.name)]
    subprocess.run([*compiler, *files, "-lm", "-o", folder/"main"], check=True, capture_output=True, text=True)
    return folder/"main", {v.get("name"): v for v in xml.parse(folder/"modelDescription.xml").getroot().iter("Float64")}
