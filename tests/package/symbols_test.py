"""What the libraries show to a linker. The static one has no symbol of a private dependency under a name that a program with
the same dependency would use; the shared one exports the API alone. Public headers export what they declare."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ["RATTLEBACK_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["RATTLEBACK_BINARY"]).parent
OF_OTHERS = re.compile(r"(?<![A-Za-z0-9_])(Eigen|fmt|nlohmann|toml|CLI)::")
EXPORTED = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name) for )?rattleback::|rattleback_[a-z]")


def symbols(library, *flags):
    text = subprocess.run(["nm", "-C", *flags, library], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        found = re.match(r"[0-9a-f ]{16} ([A-Za-z]) (.*)", line)
        if found:
            yield found[1], found[2]


def faults():
    archive, shared = BUILD / "librattleback.a", BUILD / "tests" / "librattleback.so"
    if archive.exists():
        for kind, name in symbols(archive):
            if (kind.isupper() or kind in "uvw") and OF_OTHERS.search(name):  # what is local is nobody's business
                yield f"{archive.name} has {kind} {name}"
    if not shared.exists():
        yield f"{shared} was not built"
        return
    exported = [name for kind, name in symbols(shared, "-D") if kind not in "Uw"]
    for name in exported:
        if not EXPORTED.match(name):
            yield f"{shared.name} exports {name}"
    for name in ("rattleback::simulate(", "rattleback::Graph::intern", "rattleback::version()", "typeinfo for rattleback::Error",
                 "rattleback::load_model", "rattleback::ensemble(", "rattleback::set_native("):
        if not any(e.startswith(name) for e in exported):
            yield f"{shared.name} does not export {name}"
    # clang hides definitions whose namespace was opened without the mark, so nothing of ours is hidden there.
    clang = b"clang" in subprocess.run(["readelf", "-p", ".comment", shared], capture_output=True, check=True).stdout
    for inside in () if clang else ("rattleback::front::", "rattleback::report::", "rattleback::files::", "rattleback::cli::"):
        for name in exported:
            if name.startswith(inside):
                yield f"{shared.name} exports {name}"
    text = subprocess.run(["readelf", "-d", shared], capture_output=True, text=True, check=True).stdout
    version = re.search(r'RATTLEBACK_VERSION "(\d+)\.(\d+)\.', (ROOT / "include/rattleback/version.hpp").read_text())
    if not re.search(rf"SONAME.*\[librattleback\.so\.{version[1]}\.{version[2]}\]", text):
        yield f"the SONAME does not have the minor version:\n{text}"
    for needed in re.findall(r"NEEDED.*\[(.*)\]", text):
        if re.match(r"lib(fmt|tomlplusplus)", needed):
            yield f"{shared.name} needs {needed}"


def unmarked_headers():
    for header in sorted((ROOT / "include/rattleback").glob("*.hpp")):
        if re.search(r"^namespace rattleback\b", header.read_text(), re.M):
            yield f"{header.name}: write `namespace RATTLEBACK_API rattleback {{`, or its functions are hidden"


def main():
    if shutil.which("nm") is None:
        print("skipped: nm is not there")
        return 0
    found = [*unmarked_headers(), *faults()]
    print("\n".join(found[:40]) or "the libraries show the API alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
