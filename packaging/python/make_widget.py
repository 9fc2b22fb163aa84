#!/usr/bin/env python3
"""make_widget.py PAGE FOLDER: packs a page (`./run web -o PAGE`, docs/web.md) in its one-thread form, with the target, the small draft
model and EAGLE-3's head, and the module speclens_widget beside this file into the wheel `speclens-widget` in FOLDER. The same page gives the same bytes."""

import json
import sys
from pathlib import Path

from make_wheel import HERE, Wheel, fail, version_of_source

MOST_MB = 16
MOST_SCRIPT = 50_000  # bytes: every saved notebook has it
PARTS = ("texts", "models")
OWN = ("index.html", "page.js", "speclens_alone.js.gz", "speclens_alone.wasm.gz")


def main() -> None:
    if len(sys.argv) != 3:
        fail("usage: make_widget.py PAGE FOLDER")
    page, folder, module = Path(sys.argv[1]), Path(sys.argv[2]), HERE / "speclens_widget"
    if not (page / "parts.json").is_file():
        fail(f"{page} has no parts.json: is it what ./run web -o makes?")
    if (module / "widget.js").stat().st_size > MOST_SCRIPT:
        fail(f"widget.js has more than {MOST_SCRIPT} bytes")
    listed = json.loads((page / "parts.json").read_text())
    listed["left_out"] = [part["name"] for part in listed["parts"] if part["name"] not in PARTS]
    listed["parts"] = [part for part in listed["parts"] if part["name"] in PARTS]
    version = version_of_source()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = Wheel(folder, "speclens_widget", version, "py3-none-any")
    for name in ("__init__.py", "py.typed", "widget.js"):
        wheel.add(f"speclens_widget/{name}", (module / name).read_bytes())
    for name in (*OWN, *(part[file] for part in listed["parts"] for file in ("file", "exponents"))):
        wheel.add(f"speclens_widget/page/{name}", (page / name).read_bytes())
    wheel.add("speclens_widget/page/parts.json", json.dumps(listed).encode())
    for one in sorted((page / "licences").glob("*.txt")):
        wheel.add(f"{wheel.info}/licenses/{one.name}", one.read_bytes())
    megabytes = wheel.close((HERE / "METADATA_widget.in").read_text().replace("@VERSION@", version))
    print(f"{wheel.file}: {megabytes:.1f} MB")
    if megabytes > MOST_MB:
        fail(f"larger than {MOST_MB} MB")


main()
