"""Fetch the chart runtime that the report carries, from npm, and check it against the hashes in runtime.json.

python scripts/fetch_runtime.py            # fetch what runtime.json pins; refuse anything with another hash
python scripts/fetch_runtime.py --check    # only compare the files that are here
python scripts/fetch_runtime.py --pin vega@6.4.0 vega-lite@6.5.0 vega-embed@7.3.0   # new versions, new hashes
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

RUNTIME = Path(__file__).resolve().parent.parent / "src" / "eyechart" / "report" / "runtime"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fetch(package: str, version: str) -> tuple[bytes, str]:
    """The minified build and the licence of an npm package; nothing of it is executed."""
    with tempfile.TemporaryDirectory() as place:
        command = ["npm", "pack", "--silent", "--ignore-scripts", f"{package}@{version}"]
        subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(place).glob("*.tgz")
        with tarfile.open(archive) as tar:
            build = tar.extractfile(f"package/build/{package}.min.js")
            licence = tar.extractfile("package/LICENSE")
            if build is None or licence is None:
                sys.exit(f"{package}@{version}: no build/{package}.min.js or no LICENSE in the package")
            return build.read(), licence.read().decode()


def write(entries: list[dict[str, str]], *, pin: bool) -> None:
    licences = []
    for entry in entries:
        build, licence = fetch(entry["package"], entry["version"])
        if pin:
            entry["sha256"] = sha256(build)
        elif sha256(build) != entry["sha256"]:
            sys.exit(f"{entry['file']}: SHA-256 is {sha256(build)}, runtime.json says {entry['sha256']}; nothing was written")
        (RUNTIME / entry["file"]).write_bytes(build)
        licences.append(f"{entry['package']} {entry['version']} (BSD-3-Clause)\n\n{licence.strip()}\n")
    (RUNTIME / "LICENSES.txt").write_text(("\n" + "-" * 80 + "\n\n").join(licences))
    (RUNTIME / "runtime.json").write_text(json.dumps(entries, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare the files that are here and fetch nothing")
    parser.add_argument("--pin", nargs="+", metavar="PACKAGE@VERSION", help="take these versions and write their hashes")
    options = parser.parse_args()
    if options.pin:
        pairs = [word.rsplit("@", 1) for word in options.pin]
        write([{"file": f"{p}.min.js", "package": p, "version": v, "sha256": ""} for p, v in pairs], pin=True)
        return
    entries = json.loads((RUNTIME / "runtime.json").read_text())
    if not options.check:
        write(entries, pin=False)
    for entry in entries:
        if sha256((RUNTIME / entry["file"]).read_bytes()) != entry["sha256"]:
            sys.exit(f"{entry['file']} is not what runtime.json says; run scripts/fetch_runtime.py")
        print(f"{entry['file']}  {entry['version']}  ok")


if __name__ == "__main__":
    main()
