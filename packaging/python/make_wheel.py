#!/usr/bin/env python3
"""make_wheel.py TREE FOLDER: packs an installed portable tree (SPEC_PORTABLE, docs/packages.md) and the module beside this file into
wheels in FOLDER: `speclens`, and for each real model one with its trained heads (`speclens-smollm2`, `speclens-qwen-0-5b`), which lie in the
same folder when they are installed beside it. Needs nothing but Python and binutils; the same tree gives the same bytes."""

import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What a desktop registers, and what a shell or man looks for in a system's folders.
LEFT_OUT = ("share/applications", "share/bash-completion", "share/fish", "share/icons", "share/man", "share/metainfo", "share/mime", "share/zsh", "include")
HEADS = {"smollm2": "SmolLM2-135M-Instruct", "qwen-0.5b": "Qwen2.5-Coder-0.5B-Instruct"}  # folders of models/, a wheel each
WHEN = (2020, 1, 1, 0, 0, 0)
MOST_MB = 60


def fail(what: str) -> None:
    sys.exit(f"make_wheel.py: {what}")


def newest_glibc(files: "list[Path]") -> "tuple[int, int]":
    """The oldest C library that all of these start with: what their newest symbols ask for."""
    newest = (2, 17)
    for file in files:
        with file.open("rb") as stream:
            if stream.read(4) != b"\x7fELF":
                continue
        symbols = subprocess.run(["objdump", "-T", str(file)], capture_output=True, text=True, check=True).stdout
        for found in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols):
            newest = max(newest, (int(found[0]), int(found[1])))
    return newest


class Wheel:
    def __init__(self, folder: Path, name: str, version: str, tag: str) -> None:
        self.info, self.tag, self.records = f"{name}-{version}.dist-info", tag, []
        self.file = folder / f"{name}-{version}-{tag}.whl"
        self.zip = zipfile.ZipFile(self.file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)

    def add(self, name: str, data: bytes, executable: bool = False) -> None:
        entry = zipfile.ZipInfo(name, WHEN)
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data, compresslevel=6)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}")

    def close(self, metadata: str) -> float:
        """Megabytes of it."""
        self.add(f"{self.info}/METADATA", metadata.encode())
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: speclens\nRoot-Is-Purelib: false\nTag: {self.tag}\n".encode())
        record = f"{self.info}/RECORD"
        text = "\n".join([*self.records, f"{record},,"]) + "\n"
        self.records = []
        self.add(record, text.encode())
        self.zip.close()
        return self.file.stat().st_size / 1e6


def version_of_source() -> str:
    return re.search(r"project\(SpecLens VERSION ([0-9.]+)", (HERE.parents[1] / "CMakeLists.txt").read_text()).group(1)


def main() -> None:
    if len(sys.argv) != 3:
        fail("usage: make_wheel.py TREE FOLDER")
    tree, folder = Path(sys.argv[1]), Path(sys.argv[2])
    for needed in ("speclens", "bin/speclens", "lib/speclens/libspeclens.so", "share/doc/speclens/licences", "share/speclens/models"):
        if not (tree / needed).exists():
            fail(f"{tree} has no {needed}: is it an installed SPEC_PORTABLE build?")
    version = version_of_source()
    files = sorted(one for one in tree.rglob("*") if one.is_file())
    files = [one for one in files if not str(one.relative_to(tree)).startswith(LEFT_OUT)]
    glibc = newest_glibc(files)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = Wheel(folder, "speclens", version, f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_x86_64")
    heads = {one: Wheel(folder, f"speclens_{re.sub('[-.]', '_', one)}", version, "py3-none-any") for one in HEADS}
    for one in sorted((HERE / "speclens").glob("*.py")) + [HERE / "speclens" / "py.typed"]:
        wheel.add(f"speclens/{one.name}", one.read_bytes())
    for one in files:
        name = str(one.relative_to(tree))
        to = next((heads[one] for one in HEADS if name.startswith(f"share/speclens/models/{one}/")), wheel)
        to.add(f"speclens/_program/{name}", one.read_bytes(), bool(one.stat().st_mode & 0o100))
    info = wheel.info
    wheel.add(f"{info}/entry_points.txt", b"[console_scripts]\nspeclens = speclens._program:main\n")
    wheel.add(f"{info}/licenses/LICENSE", (HERE.parents[1] / "LICENSE").read_bytes())
    for one in sorted((tree / "share/doc/speclens/licences").rglob("*.txt")):
        wheel.add(f"{info}/licenses/{one.relative_to(tree / 'share/doc/speclens')}", one.read_bytes())
    said = (HERE / "METADATA_heads.in").read_text()
    for one, text in [(wheel, (HERE / "METADATA.in").read_text())] + [
        (heads[name], said.replace("@NAME@", name.replace(".", "-")).replace("@MODEL@", model)) for name, model in HEADS.items()
    ]:
        megabytes = one.close(text.replace("@VERSION@", version))
        print(f"{one.file}: {megabytes:.1f} MB")
        if megabytes > MOST_MB:
            fail(f"larger than {MOST_MB} MB")
    print(f"asks for glibc {glibc[0]}.{glibc[1]}")


if __name__ == "__main__":
    main()
