"""The Helm chart: packed for a release, and rendered by Helm."""

import gzip
import json
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scripts.setup_python_tools import PythonTools
from scripts.setup_steps import ROOT, SetupError
from scripts.setup_tools import find_uv

CHART: Final = ROOT / "deploy" / "helm" / "visual-review"
RELEASE_TOOLS: Final = PythonTools(ROOT / "tests" / "release_tools", "the checks of a release")
RENDER: Final = ROOT / "scripts" / "render_chart.py"
FILE_MODE: Final = 0o644
# An example of the values that every user must set.
REQUIRED_VALUES: Final = {
    "publicUrl": "https://reviews.example.com",
    "secret": "visual-review",
    "image": {"repository": "registry.example.com/visual-review"},
}


def pack_folder(folder: Path, name: str, archive: Path) -> None:
    """Write the files of a folder into a ``tar.gz``, below ``name``: equal files give equal bytes."""
    with (
        archive.open("wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as stream,
        # The archive has files in place of links.
        tarfile.open(fileobj=stream, mode="w", dereference=True) as tar,
    ):
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            tar.add(path, f"{name}/{path.relative_to(folder)}", filter=_only_content)


def _only_content(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mtime, member.mode = 0, FILE_MODE
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def render_chart(chart: Path, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the objects that Helm makes of a chart's folder or archive.

    Raises SetupError with the faults found by Helm or the schemas of Kubernetes.
    """
    RELEASE_TOOLS.ensure(find_uv())
    done = subprocess.run(
        [RELEASE_TOOLS.programs / "python", RENDER, chart],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SetupError(f"The Helm chart {chart} is invalid:\n{done.stderr}")
    objects: list[dict[str, Any]] = json.loads(done.stdout)
    return objects
