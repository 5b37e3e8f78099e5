"""The tests that the native engine has in Rust."""

import pytest
from scripts.native_library import CRATE, cargo_environment, find_cargo
from scripts.setup_steps import run_program


def test_the_tests_of_the_crate_pass() -> None:
    cargo = find_cargo()
    if cargo is None:
        pytest.skip("Rust is not installed")
    command = [cargo, "test", "--quiet", "--locked", "--offline"]
    done = run_program(command, CRATE, cargo_environment(cargo))
    assert done.returncode == 0, done.stdout
