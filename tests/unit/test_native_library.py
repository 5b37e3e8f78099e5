"""Names and builds of the native engine's library, and the check of set-up for a current one."""

from pathlib import Path

import pytest
from scripts import native_library
from scripts.lint import RUST_CHECKS, check_rust
from scripts.native_library import Target, build_command, find_cargo, output_path, read_host
from scripts.setup_native import NATIVE_LIBRARY, InstalledLibrary
from scripts.setup_steps import SetupError

HOST = Target("x86_64-unknown-linux-gnu")
CARGO = Path("/rust/bin/cargo")


def test_a_target_may_name_a_version_of_glibc() -> None:
    target = Target.parse("aarch64-unknown-linux-gnu.2.17")
    assert target == Target("aarch64-unknown-linux-gnu", "2.17")
    assert str(target) == "aarch64-unknown-linux-gnu.2.17"
    assert str(Target.parse("x86_64-pc-windows-gnu")) == "x86_64-pc-windows-gnu"


@pytest.mark.parametrize(
    ("triple", "name"),
    [
        ("x86_64-unknown-linux-gnu", "libvisual_review_kernel.so"),
        ("aarch64-unknown-linux-musl", "libvisual_review_kernel.so"),
        ("aarch64-apple-darwin", "libvisual_review_kernel.dylib"),
        ("x86_64-pc-windows-msvc", "visual_review_kernel.dll"),
        ("aarch64-pc-windows-gnullvm", "visual_review_kernel.dll"),
    ],
)
def test_each_platform_has_its_name_for_the_library(triple: str, name: str) -> None:
    assert Target(triple).library_name == name


def test_the_compiler_names_its_platform() -> None:
    described = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n"
    assert read_host(described) == HOST
    with pytest.raises(SetupError, match="for which platform"):
        read_host("rustup could not choose a version of rustc to run")


def test_only_another_platform_or_glibc_needs_another_linker() -> None:
    assert "zigbuild" not in build_command(CARGO, HOST, HOST)
    older = Target.parse(f"{HOST}.2.17")
    assert build_command(CARGO, older, HOST)[-2:] == ["--target", str(older)]
    assert output_path(older, HOST).parts[-3:-1] == (HOST.triple, "release")
    assert output_path(HOST, HOST).parts[-2:] == ("release", HOST.library_name)


def test_a_build_needs_no_network() -> None:
    assert {"--offline", "--locked"} < set(build_command(CARGO, HOST, HOST))


@pytest.fixture
def installed(tmp_path: Path) -> InstalledLibrary:
    """The library of a checkout, built from its sources."""
    (tmp_path / "lib.rs").write_text("one")
    (tmp_path / HOST.library_name).write_bytes(b"library")
    library = InstalledLibrary(
        tmp_path / "native", (tmp_path / "lib.rs",), tmp_path / "target" / "stamp"
    )
    library.replace_by(tmp_path / HOST.library_name)
    return library


def test_a_library_is_current_until_it_or_a_source_changes(installed: InstalledLibrary) -> None:
    assert installed.is_current()
    (source,) = installed.sources
    source.write_text("two")
    assert not installed.is_current()
    source.write_text("one")
    (library,) = installed.files
    library.write_bytes(b"of another checkout")
    assert not installed.is_current()
    library.unlink()
    assert not installed.is_current()


def test_without_rust_an_outdated_library_is_removed_and_a_line_says_so(
    installed: InstalledLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    installed.ensure(None)
    assert capsys.readouterr().out == ""
    assert len(installed.files) == 1
    installed.sources[0].write_text("two")
    installed.ensure(None)
    (line,) = capsys.readouterr().out.splitlines()
    assert "numpy" in line
    assert "https://rustup.rs" in line
    assert installed.files == []


def write_program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_failed_build_is_an_error_with_the_last_lines_and_advice(
    installed: InstalledLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cargo = write_program(
        tmp_path / "bin" / "cargo", "echo 'error: linker `cc` not found'; exit 101"
    )
    write_program(tmp_path / "bin" / "rustc", f"echo 'host: {HOST}'")
    monkeypatch.setattr(native_library, "CRATE", tmp_path)
    installed.sources[0].write_text("two")
    with pytest.raises(SetupError, match=r"(?s)linker `cc` not found.*apt-get install gcc"):
        installed.ensure(cargo)
    assert installed.files == []


def test_cargo_is_found_where_rustup_puts_it_unless_it_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    assert find_cargo() is None
    cargo = write_program(tmp_path / "bin" / "cargo", "exit 0")
    assert find_cargo() == cargo
    write_program(cargo, "exit 1")
    assert find_cargo() is None


def test_lint_says_which_checks_of_rust_it_skips(capsys: pytest.CaptureFixture[str]) -> None:
    for command in RUST_CHECKS:
        assert check_rust(None, command) == ""
    assert capsys.readouterr().out.count("skipped: ") == len(RUST_CHECKS)


def test_the_library_of_this_checkout_is_current() -> None:
    if not NATIVE_LIBRARY.files:
        pytest.skip("this checkout has no native library")
    assert NATIVE_LIBRARY.is_current(), (
        "The native library was built from other sources; run `make setup`."
    )


def test_the_sources_of_the_library_exist() -> None:
    assert [path for path in native_library.SOURCES if not path.exists()] == []
