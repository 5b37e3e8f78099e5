"""The wheel of the client is complete without the server."""

import base64
import csv
import hashlib
import io
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

from visual_review.cli.commands import CLIENT
from visual_review.web.client_wheel import WHEEL_NAME, client_version, client_wheel, find_commit

# Imports the whole wheel, and lists the commands, out of reach of the checkout.
PROGRAM = """
import importlib, sys
from pathlib import Path
root = Path(sys.argv[1])
sys.path.insert(0, str(root))
for file in sorted(root.rglob("*.py")):
    name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    assert Path(module.__file__).is_relative_to(root), module.__file__
assert "django" not in sys.modules
from visual_review.cli.main import main
sys.argv[1:] = ["--help"]
main()
"""


def test_the_record_lists_every_file_with_its_hash() -> None:
    wheel = client_wheel()
    assert WHEEL_NAME.fullmatch(wheel.name)
    with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
        [record] = [name for name in archive.namelist() if name.endswith("/RECORD")]
        rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
        assert [row[0] for row in rows] == archive.namelist()
        for name, recorded, size in rows:
            if name != record:
                content = archive.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
                assert (recorded, size) == (f"sha256={digest.rstrip('=')}", str(len(content)))


def test_it_depends_on_nothing_of_the_server() -> None:
    with zipfile.ZipFile(io.BytesIO(client_wheel().content)) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith("/METADATA")]
        text = archive.read(metadata).decode()
    assert f"Version: {version('visual-review')}+g" in text
    assert "Requires-Dist: httpx" in text
    assert "django" not in text
    assert not [name for name in names if name.startswith("visual_review/config")]


def test_each_requirement_is_one_line() -> None:
    with zipfile.ZipFile(io.BytesIO(client_wheel().content)) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        lines = archive.read(metadata).decode().splitlines()
    longest = max(lines, key=len)
    assert longest.startswith("Requires-Dist:")
    assert longest.endswith("'telemetry'")
    # pip refuses a folded requirement.
    assert not [line for line in lines if line.startswith(" ")]


def test_all_of_it_works_without_the_server(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(client_wheel().content)) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for entry in CLIENT:
        assert entry.name in done.stdout
    assert "migrate" not in done.stdout


def test_every_change_of_the_client_is_another_version() -> None:
    commit = "4f9c1d7b" * 5
    versions = {
        client_version("0.1.0", commit, {"a.py": b"1"}),
        client_version("0.1.0", commit, {"a.py": b"2"}),
        client_version("0.1.0", "", {"a.py": b"1"}),
    }
    assert len(versions) == 3
    assert sum(each.startswith("0.1.0+g4f9c1d7b4f9c.h") for each in versions) == 2


def test_the_commit_is_that_of_the_checkout_or_of_the_build(tmp_path: Path) -> None:
    package = tmp_path / "src" / "visual_review"
    package.mkdir(parents=True)
    assert find_commit(package) == ""
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text("# pack-refs\naaaa refs/heads/main\n")
    assert find_commit(package) == "aaaa"
    (git / "refs/heads").mkdir(parents=True)
    (git / "refs/heads/main").write_text("bbbb\n")
    assert find_commit(package) == "bbbb"
    (package / "commit.txt").write_text("cccc\n")
    assert find_commit(package) == "cccc"
