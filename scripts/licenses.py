"""The licenses of all packages installed for the server and the client, and whether we accept them.

``python -m scripts.licenses`` lists all packages; with ``--check``, only packages without an
accepted license; ``--sbom`` writes the components in the CycloneDX format.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final

from scripts.setup_steps import ROOT
from scripts.setup_tools import find_uv

# Permissive licenses, and licenses without conditions for the use of an unchanged package.
ACCEPTED: Final = (
    "0BSD",
    "Apache",
    "Artistic License",
    "BSD",
    "CC0",
    "ISC",
    "LGPL",
    "Lesser General Public License",
    "MIT",
    "MPL",
    "Mozilla Public License",
    "PSF",
    "Python Software Foundation",
    "The Unlicense",
    "Unlicense",
    "ZPL",
    "Zlib",
)
BUILD: Final = ROOT / "build"
CLASSIFIER: Final = "License :: "
# A longer field holds the whole text of a license instead of the name.
LONGEST_NAME: Final = 60


def export(*options: str) -> str:
    """Return the packages of the lock file for users, in a format of uv."""
    command = [str(find_uv()), "export", "--quiet", "--frozen", "--no-dev", *options]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def list_packages() -> list[str]:
    options = ("--no-hashes", "--no-annotate", "--no-emit-project", "--no-header")
    lines = export("--extra=server", *options).splitlines()
    return sorted({line.split("==")[0] for line in lines if "==" in line})


def write_components() -> None:
    """Write the bills of materials of server and client."""
    BUILD.mkdir(exist_ok=True)
    for name, options in (("server", ("--extra=server",)), ("client", ())):
        path = BUILD / f"sbom-{name}.cdx.json"
        path.write_text(export("--format=cyclonedx1.5", *options))
        print(path.relative_to(ROOT))


def license_of(package: str) -> str:
    """Return the license in a package's metadata; empty for a package of another platform."""
    try:
        found = distribution(package).metadata.json
    except PackageNotFoundError:
        return ""
    classified = [
        text.rpartition(" :: ")[2]
        for text in found.get("classifier", [])
        if text.startswith(CLASSIFIER)
    ]
    stated = str(found.get("license_expression") or found.get("license") or "")
    is_name = 0 < len(stated) <= LONGEST_NAME and "\n" not in stated
    return stated if is_name else ", ".join(classified) or "unknown"


def is_accepted(text: str) -> bool:
    """Return whether each part of "A AND B" is accepted; of "A OR B", one license is enough."""
    parts = re.split(r" AND |, ", text)
    return all(any(name.lower() in part.lower() for name in ACCEPTED) for part in parts)


def rows() -> Iterator[tuple[str, str]]:
    for package in list_packages():
        if text := license_of(package):
            yield package, text


def main(arguments: Sequence[str]) -> int:
    if "--sbom" in arguments:
        write_components()
        return 0
    found = list(rows())
    refused = [(package, text) for package, text in found if not is_accepted(text)]
    for package, text in refused if "--check" in arguments else found:
        print(f"{package}: {text}")
    if refused:
        print(
            f"licenses: {len(refused)} packages have a license that scripts/licenses.py does not "
            "accept. Read it, then add its name there or use another package.",
            file=sys.stderr,
        )
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
