"""The contents of a release, without building one."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import release
from scripts.chart import RELEASE_TOOLS
from scripts.setup_steps import SetupError
from scripts.setup_tools import find_uv

from visual_review.config.http.machine_calls import MCP_PATH


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(release, "DIST", tmp_path)
    return tmp_path


def test_this_version_has_notes_and_one_number() -> None:
    notes = release.read_notes(release.read_version())
    assert "### Added" in notes
    assert "\n## " not in notes
    assert "\n  " not in notes


def test_another_version_in_a_published_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        release, "SERVER_ENTRY", release.ROOT / "tests" / "api_clients" / "package.json"
    )
    with pytest.raises(SetupError, match=r"tests/api_clients/package\.json has"):
        release.read_version()


def test_a_version_without_notes_is_refused() -> None:
    with pytest.raises(SetupError, match=r"no section '## \[9\.9\.9\]'"):
        release.read_notes("9.9.9")


def test_the_sums_are_those_that_sha256sum_checks(dist: Path) -> None:
    (dist / "a.whl").write_bytes(b"wheel")
    release.write_sums()
    assert hashlib.sha256(b"wheel").hexdigest() in (dist / release.SUMS).read_text()
    release.check_sums()
    (dist / "a.whl").write_bytes(b"another")
    with pytest.raises(SetupError, match=r"a\.whl: FAILED"):
        release.check_sums()


def test_the_engine_must_be_native() -> None:
    release.require_native("ok       comparison: native\n")
    with pytest.raises(SetupError, match="no native engine"):
        release.require_native("ok       comparison: numpy, as the native library is missing\n")


def test_a_file_that_is_missing_or_doubled_is_refused(dist: Path) -> None:
    for name in ("a.tgz", "b.tgz"):
        (dist / name).touch()
        if name == "a.tgz":
            assert release.only("*.tgz") == dist / name
    for pattern, count in (("*.tgz", 2), ("*.whl", 0)):
        with pytest.raises(SetupError, match=f"{count} files"):
            release.only(pattern)


def test_the_entry_for_the_registry_names_the_endpoint_and_the_repository(
    dist: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert not release.write_server_entry()
    monkeypatch.setenv("GITHUB_REPOSITORY", "harbour/reviews")
    assert release.write_server_entry()
    entry = json.loads((dist / "server.json").read_text())
    assert entry["name"] == "io.github.harbour/visual-review"
    assert entry["repository"]["url"] == "https://github.com/harbour/reviews"
    [remote] = entry["remotes"]
    [variable] = remote["variables"]
    assert remote["url"] == f"https://{{{variable}}}{MCP_PATH}"


@pytest.mark.deep
def test_the_entry_fits_the_schema_of_the_registry() -> None:
    RELEASE_TOOLS.ensure(find_uv())
    version = json.loads(release.SERVER_ENTRY.read_text())["$schema"].split("/")[-2]
    folder = f"v{version.replace('-', '_')}"
    pattern = f"lib/*/site-packages/skillsaw/schemas/mcp_registry/{folder}/server.schema.json"
    [schema] = RELEASE_TOOLS.environment.glob(pattern)
    program = Path(sys.executable).with_name("check-jsonschema")
    command = [program, "--schemafile", schema, release.SERVER_ENTRY]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


def test_an_unknown_platform_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["amiga"]) == 2
    assert "No wheels are released for amiga." in capsys.readouterr().err


def test_a_changed_checkout_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "new.txt").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    with pytest.raises(SetupError, match=r"new\.txt"):
        release.require_clean_checkout()
