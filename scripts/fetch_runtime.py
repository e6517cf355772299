"""Fetch the chart runtime that the report carries, from npm, and check it against the hashes in runtime.json.

python scripts/fetch_runtime.py            # fetch what runtime.json pins; refuse anything with another hash
python scripts/fetch_runtime.py --check    # only compare the files that are here
python scripts/fetch_runtime.py --pin vega@6.4.0 vega-lite@6.5.0 vega-embed@7.3.0   # new versions, new hashes

The minified files hold other packages too. LICENSES.txt names all of them, with their licenses and with the notices that stand
in their sources and that minifying takes away.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

RUNTIME = Path(__file__).resolve().parent.parent / "src" / "eyechart" / "report" / "runtime"
# Dependencies of command-line tools, or types alone: npm installs them and no build for browsers holds them.
NOT_BUNDLED = {"@types/estree", "@types/geojson", "commander", "iconv-lite", "rw", "vega-typings", "yargs"}
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.S | re.M)
RULE = "\n" + "-" * 80 + "\n\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def install(entries: list[dict[str, str]], place: Path) -> Path:
    """The packages and all they depend on, in `place`/node_modules; nothing of them is executed."""
    command = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(place)]
    subprocess.run([*command, *(f"{e['package']}@{e['version']}" for e in entries)], check=True, stdout=subprocess.DEVNULL)
    return place / "node_modules"


def manifest(package: Path) -> dict[str, Any]:
    about: dict[str, Any] = json.loads((package / "package.json").read_text(encoding="utf-8"))
    return about


def bundled(modules: Path, names: Iterable[str]) -> list[str]:
    """These packages and, step by step, whatever they depend on and a build may hold."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found | NOT_BUNDLED:
            found.add(name)
            waiting += manifest(modules / name).get("dependencies", {})
    return sorted(found)


def license_text(package: Path) -> str:
    files = sorted(p for p in package.iterdir() if re.match(r"(licen[cs]e|notice|copying)", p.name, re.I))
    if not files:
        sys.exit(f"{package.name}: no license file in the package; find its license before bundling it")
    return "\n\n".join(p.read_text(encoding="utf-8").replace("\r\n", "\n").strip() for p in files)


def notices(package: Path) -> Iterator[str]:
    """Comments of a package's sources that claim a copyright; not the one line that banners repeat from the license."""
    for path in sorted(p for p in package.rglob("*.*js") if not p.name.endswith(".min.js") and p.is_file()):
        for comment in COMMENT.findall(path.read_text(encoding="utf-8")):
            text = re.sub(r"^[ \t]*(?:/\*+!?|\*(?= |$)|//)?[ \t]?|[ \t]*\*+/$", "", comment, flags=re.M).strip()
            if re.search(r"copyright", text, re.I) and "\n" in text:
                yield text


def licenses(modules: Path, entries: list[dict[str, str]]) -> str:
    """Packages with the same license text stand together over it; then the notices. A version is given where it is pinned."""
    pinned = {e["package"]: e["version"] for e in entries}
    texts: dict[str, list[str]] = {}
    claims: dict[str, str] = {}
    for name in bundled(modules, pinned):
        title = " ".join(filter(None, (name, pinned.get(name), f"({manifest(modules / name)['license']})")))
        texts.setdefault(license_text(modules / name), []).append(title)
        for notice in notices(modules / name):
            # The same notice is copied from package to package with other spaces.
            claims.setdefault(re.sub(r"\W+", " ", notice), f"From the sources of {name}:\n\n{notice}\n")
    contents = f"{', '.join(e['file'] for e in entries)} hold code of the packages below.\n"
    parts = ["\n".join(titles) + f"\n\n{text}\n" for text, titles in texts.items()]
    return RULE.join([contents, *parts, *claims.values()])


def write(entries: list[dict[str, str]], *, pin: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        modules = install(entries, Path(place))
        builds = {e["file"]: (modules / e["package"] / "build" / e["file"]).read_bytes() for e in entries}
        for entry in entries:
            found = sha256(builds[entry["file"]])
            if pin:
                entry["sha256"] = found
            elif found != entry["sha256"]:
                sys.exit(f"{entry['file']}: SHA-256 is {found}, runtime.json says {entry['sha256']}; nothing was written")
        text = licenses(modules, entries)
    for file, build in builds.items():
        (RUNTIME / file).write_bytes(build)
    (RUNTIME / "LICENSES.txt").write_text(text, encoding="utf-8")
    (RUNTIME / "runtime.json").write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare the files that are here and fetch nothing")
    parser.add_argument("--pin", nargs="+", metavar="PACKAGE@VERSION", help="take these versions and write their hashes")
    options = parser.parse_args()
    if options.pin:
        pairs = [word.rsplit("@", 1) for word in options.pin]
        write([{"file": f"{p}.min.js", "package": p, "version": v, "sha256": ""} for p, v in pairs], pin=True)
        return
    entries = json.loads((RUNTIME / "runtime.json").read_text(encoding="utf-8"))
    if not options.check:
        write(entries, pin=False)
    for entry in entries:
        if sha256((RUNTIME / entry["file"]).read_bytes()) != entry["sha256"]:
            sys.exit(f"{entry['file']} is not what runtime.json says; run scripts/fetch_runtime.py")
        print(f"{entry['file']}  {entry['version']}  ok")


if __name__ == "__main__":
    main()
