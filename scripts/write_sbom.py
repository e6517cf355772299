"""Print a software bill of materials (CycloneDX 1.5): the packages that Eyechart needs, and the scripts that its page carries.

python scripts/write_sbom.py > sbom.json
"""

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def needed(root: str = "eyechart") -> dict[str, str]:
    """Every installed package that the core needs, step by step, with its version."""
    found: dict[str, str] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # for another system
        found[name] = package.version
        for requirement in package.requires or ():
            if "extra ==" not in requirement and (match := _NAME.match(requirement)):
                waiting.append(match[0])
    return found


def bundled() -> list[dict[str, object]]:
    """The scripts of the page, with the hash that pins each."""
    listed = json.loads((files("eyechart.report") / "runtime" / "runtime.json").read_text(encoding="utf-8"))
    return [
        {
            "type": "library",
            "name": entry["package"],
            "version": entry["version"],
            "purl": f"pkg:npm/{entry['package']}@{entry['version']}",
            "hashes": [{"alg": "SHA-256", "content": entry["sha256"]}],
        }
        for entry in listed
    ]


def sbom() -> dict[str, object]:
    packages = [
        {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}"}
        for name, version in sorted(needed().items())
    ]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": [*packages, *bundled()]}


if __name__ == "__main__":
    print(json.dumps(sbom(), indent=1))
