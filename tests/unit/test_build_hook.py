"""The native library in a wheel and in a checkout: the programs that build it, and the platform."""

import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hatchling.bridge.app import Application
from scripts import build_hook, native_library
from scripts.build_hook import CHOICE, LIBRARY, REQUIRE, SKIP, TARGET, KernelHook
from scripts.build_wheels import RELEASED, main, require_tag
from scripts.native_library import (
    CRATE,
    CRATE_NAME,
    OLDEST_MACOS,
    PACKAGE,
    Target,
    cargo_environment,
    find_cargo,
)
from scripts.setup_steps import ROOT, SetupError, run_program
from scripts.wheel_tags import UnknownPlatformError, needed_glibc, platform_tag, wheel_tag

# The files that the recipe of the container sends to the build.
BUILT_FROM = (
    "LICENSE",
    "README.md",
    "docs",
    "mkdocs.yml",
    "native",
    "packages",
    "pyproject.toml",
    "scripts",
    "src",
)
HOST = Target("x86_64-unknown-linux-gnu")
NAME_ENGINE = """
import visual_review
from visual_review.imagediff import engine
print(visual_review.__file__, engine().name)
"""
# The commit, the npm package and the documentation.
OTHER_FILES = (
    "visual_review/commit.txt",
    "visual_review/documentation",
    "visual_review/node_package/",
)
NAMED = f"{PACKAGE}/{HOST.library_name}"


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> KernelHook:
    """The hook, with nothing set in the environment and no Rust."""
    for name in (CHOICE, LIBRARY, TARGET, "CARGO_TARGET_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(build_hook, "find_cargo", lambda: None)
    return make_hook("wheel")


def make_hook(kind: str) -> KernelHook:
    # The hook uses nothing of the configuration and the project's metadata.
    unused: Any = None
    return KernelHook(str(ROOT), {}, unused, unused, "", kind, Application())


def contents(hook: KernelHook, version: str = "standard") -> dict[str, Any]:
    """Return the contents for the library; other files are the same in every wheel."""
    build_data: dict[str, Any] = {}
    hook.initialize(version, build_data)
    files = build_data.pop("force_include", {})
    others = [each for each in files.values() if each.startswith(OTHER_FILES)]
    assert len(others) == (5 if version == "standard" and hook.target_name == "wheel" else 0)
    library = {path: name for path, name in files.items() if name not in others}
    return {**build_data, **({"force_include": library} if library else {})}


@pytest.fixture
def rust(hook: KernelHook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cargo that only writes a library with calls to glibc 2.31, and a rustc of this platform."""
    assert hook
    built = tmp_path / "target" / "release" / HOST.library_name
    cargo = tmp_path / "bin" / "cargo"
    cargo.parent.mkdir()
    cargo.write_text(f"#!/bin/sh\nmkdir -p {built.parent} && printf '\\0GLIBC_2.31\\0' > {built}\n")
    (tmp_path / "bin" / "rustc").write_text(f"#!/bin/sh\necho 'host: {HOST}'\n")
    for program in cargo.parent.iterdir():
        program.chmod(0o755)
    monkeypatch.setattr(build_hook, "find_cargo", lambda: cargo)
    monkeypatch.setattr(native_library, "CRATE", tmp_path)
    # This Python's folder comes first on the path, and may have a rustc.
    monkeypatch.setattr(sys, "executable", str(cargo.parent / "python"))
    return built


def test_a_wheel_gets_the_library_and_the_tag_that_fits_it(hook: KernelHook, rust: Path) -> None:
    assert contents(hook) == {
        "tag": "py3-none-manylinux_2_31_x86_64",
        "pure_python": False,
        "force_include": {str(rust): NAMED},
    }


def test_a_wheel_without_rust_is_for_every_platform_and_says_so(
    hook: KernelHook, capsys: pytest.CaptureFixture[str]
) -> None:
    assert contents(hook) == {"tag": "py3-none-any"}
    said = capsys.readouterr()
    assert "https://rustup.rs" in said.out + said.err
    assert "compared with numpy" in said.out + said.err


def test_a_library_that_was_built_before_needs_no_rust(
    hook: KernelHook,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    library = tmp_path / "libkernel.so"
    monkeypatch.setenv(CHOICE, REQUIRE)
    monkeypatch.setenv(LIBRARY, str(library))
    for reason in (f"{TARGET} must name the platform", "which is not a file"):
        with pytest.raises(SystemExit):
            contents(hook)
        assert reason in capsys.readouterr().err
        monkeypatch.setenv(TARGET, str(HOST))
    library.write_bytes(b"\0GLIBC_2.31\0")
    built = contents(hook)
    assert built["tag"] == "py3-none-manylinux_2_31_x86_64"
    assert built["force_include"] == {str(library): NAMED}


@pytest.mark.usefixtures("rust")
def test_the_library_can_be_left_out(hook: KernelHook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, SKIP)
    assert contents(hook) == {"tag": "py3-none-any"}


@pytest.mark.parametrize(("choice", "reason"), [(REQUIRE, "No Rust"), ("yes", "'yes'; it may be")])
def test_a_wheel_that_cannot_be_as_demanded_is_refused(
    hook: KernelHook,
    choice: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(CHOICE, choice)
    with pytest.raises(SystemExit) as raised:
        contents(hook)
    assert raised.value.code != 0
    assert reason in capsys.readouterr().err


def test_a_failing_compiler_fails_the_build_with_a_way_out(
    hook: KernelHook, rust: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (rust.parents[2] / "bin" / "cargo").write_text("#!/bin/sh\necho 'error: no linker'\nexit 101\n")
    with pytest.raises(SystemExit):
        contents(hook)
    said = capsys.readouterr().err
    assert "no linker" in said
    assert f"{CHOICE}={SKIP}" in said


@pytest.mark.usefixtures("hook")
def test_only_installed_wheels_get_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, REQUIRE)
    assert contents(make_hook("wheel"), "editable") == {}
    assert contents(make_hook("sdist")) == {}


def test_every_released_platform_has_the_tag_that_its_target_gets() -> None:
    for name, tag in RELEASED.items():
        target = Target.parse(name)
        # The library of a macOS wheel names the version required by its build.
        if target.is_macos:
            oldest = OLDEST_MACOS[target.machine].replace(".", "_")
            assert tag.startswith(f"py3-none-macosx_{oldest}_")
        else:
            assert wheel_tag(target, b"\0GLIBC_2.17\0") == tag
        require_tag(Path(f"visual_review-1.0-{tag}.whl"), tag)
    with pytest.raises(SetupError, match="must be py3-none-win_amd64"):
        require_tag(Path("visual_review-1.0-py3-none-any.whl"), "py3-none-win_amd64")


def test_only_released_platforms_can_be_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sparc-unknown-linux-gnu"]) == 2
    assert "sparc-unknown-linux-gnu" in capsys.readouterr().err


def build(source: Path, kind: str, output: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "-d", output]
    done = run_program(command, source, {CHOICE: REQUIRE})
    assert done.returncode == 0, done.stdout
    # Hatchling names a file below the current folder relative to the folder.
    return source / done.stdout.splitlines()[-1]


@pytest.mark.deep
def test_a_wheel_from_the_source_distribution_compares_natively_without_rust(
    tmp_path: Path,
) -> None:
    if find_cargo() is None:
        pytest.skip("Rust is not installed")
    for name in BUILT_FROM:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, tmp_path / name)
    shutil.rmtree(tmp_path / "native" / "target", ignore_errors=True)
    archive = build(tmp_path, "sdist", tmp_path / "dist")
    shutil.unpack_archive(archive, tmp_path / "unpacked")
    (source,) = (tmp_path / "unpacked").iterdir()
    wheel = build(source, "wheel", tmp_path / "dist")
    with zipfile.ZipFile(wheel) as opened:
        libraries = [name for name in opened.namelist() if CRATE_NAME in name]
        opened.extractall(tmp_path / "installed")
        assert "visual_review/documentation/index.html" in opened.namelist()
    assert len(libraries) == 1
    done = subprocess.run(
        [sys.executable, "-c", NAME_ENGINE],
        env={"PYTHONPATH": str(tmp_path / "installed"), "VISUAL_REVIEW_IMAGE_ENGINE": "native"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split()[1:] == ["native"], done.stderr
    assert done.stdout.startswith(str(tmp_path / "installed"))


@pytest.mark.deep
def test_the_tests_of_the_crate_pass() -> None:
    cargo = find_cargo()
    if cargo is None:
        pytest.skip("Rust is not installed")
    command = [cargo, "test", "--quiet", "--locked", "--offline"]
    done = run_program(command, CRATE, cargo_environment(cargo))
    assert done.returncode == 0, done.stdout


def library(*versions: str) -> bytes:
    """Return the bytes of a library around the names of the required versions."""
    return b"\x7fELF\0malloc\0" + b"".join(f"GLIBC_{v}\0".encode() for v in versions) + b"\x01"


@pytest.mark.parametrize(
    ("target", "tag"),
    [
        ("x86_64-unknown-linux-gnu", "manylinux_2_17_x86_64"),
        ("aarch64-unknown-linux-gnu.2.17", "manylinux_2_17_aarch64"),
        ("armv7-unknown-linux-gnueabihf", "manylinux_2_17_armv7l"),
        ("x86_64-unknown-linux-musl", "musllinux_1_2_x86_64"),
        ("aarch64-unknown-linux-musl", "musllinux_1_2_aarch64"),
        ("x86_64-pc-windows-msvc", "win_amd64"),
        ("x86_64-pc-windows-gnu", "win_amd64"),
        ("aarch64-pc-windows-gnullvm", "win_arm64"),
    ],
)
def test_each_platform_has_its_tag(target: str, tag: str) -> None:
    assert platform_tag(Target.parse(target), library("2.2.5", "2.14")) == tag


def test_a_linux_wheel_needs_the_newest_glibc_that_its_library_calls() -> None:
    assert needed_glibc(library("2.2.5", "2.34", "2.9")) == (2, 34)
    target = Target("x86_64-unknown-linux-gnu")
    assert wheel_tag(target, library("2.34")) == "py3-none-manylinux_2_34_x86_64"


def macos_library(command: int, *fields: int) -> bytes:
    """Return a header with two commands; the second names the oldest macOS."""
    commands = struct.pack("<4I", 0x19, 16, 0, 0)
    commands += struct.pack(f"<{2 + len(fields)}I", command, 8 + 4 * len(fields), *fields)
    return struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 2, len(commands), 0, 0) + commands


@pytest.mark.parametrize(
    ("triple", "library", "tag"),
    [
        ("aarch64-apple-darwin", macos_library(0x32, 1, 11 << 16, 0, 0), "macosx_11_0_arm64"),
        ("x86_64-apple-darwin", macos_library(0x24, 10 << 16 | 12 << 8, 0), "macosx_10_12_x86_64"),
        ("aarch64-apple-darwin", macos_library(0x32, 1, 15 << 16, 0, 0), "macosx_15_0_arm64"),
    ],
)
def test_a_macos_wheel_is_for_the_version_that_its_library_names(
    triple: str, library: bytes, tag: str
) -> None:
    assert platform_tag(Target(triple), library) == tag


def test_text_about_glibc_is_not_a_version_that_is_called() -> None:
    assert needed_glibc(b"\0needs GLIBC_2.99\0GLIBC_2.98 or so\0XGLIBC_2.97\0") == (2, 17)


def test_a_platform_without_a_name_for_wheels_is_refused() -> None:
    with pytest.raises(UnknownPlatformError, match="x86_64-unknown-freebsd"):
        platform_tag(Target("x86_64-unknown-freebsd"), b"")
