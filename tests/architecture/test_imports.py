"""Run import-linter's contracts on the package, and show that a bad import breaks each of them.

Imports are added to the graph of the package one at a time, in memory; a copy of the package with
all bad imports shows that the command reads the files and fails.
"""

import os
import shutil
import subprocess
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path

import grimp
import pytest
from importlinter.application.use_cases import read_user_options
from importlinter.configuration import configure
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract
from importlinter.domain.contract import Contract

from tests.support.case import Case

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "pyproject.toml"
LINTER = Path(sys.executable).parent / "lint-imports"
PACKAGE = "visual_review"
CONTRACT_CLASSES: dict[str, type[Contract]] = {
    "acyclic_siblings": AcyclicSiblingsContract,
    "forbidden": ForbiddenContract,
    "layers": LayersContract,
    "protected": ProtectedContract,
}
LAYERS = "Packages import downwards only"
FOLDERS = "Inside builds, folders import downwards only"
PURE_RULES = "Rules are pure"
CIRCLES = "Modules never import in a circle"
FEW_IMPORTERS = "Only actions, jobs, the wiring and the incoming webhooks call"

# A package, a module it must not import, and the contract that forbids the import.
BAD_IMPORTS = (
    ("kernel", "visual_review.builds", LAYERS),
    ("accounts", "visual_review.repositories", LAYERS),
    ("builds", "visual_review.jobs", LAYERS),
    ("web", "visual_review.api", LAYERS),
    ("builds.images", "visual_review.builds.reviewing", FOLDERS),
    ("builds.publishing", "visual_review.builds.reviewing", FOLDERS),
    ("builds.models", "visual_review.builds.queries", FOLDERS),
    ("client", "django", "The client half needs nothing of the server"),
    ("imagediff", "visual_review.kernel", "imagediff stands alone: bytes in, verdict out"),
    ("imagediff", "pathlib", "imagediff stands alone: bytes in, verdict out"),
    ("web", "visual_review.imagediff", "Only builds, jobs and the client half compare images"),
    ("kernel", "visual_review.client", "kernel stands alone"),
    ("cli", "visual_review.builds", "The command line wires nothing itself"),
    ("api.mcp", "mcp", "The service does not import the library of MCP"),
    ("config", "mcp_types", "The service does not import the library of MCP"),
    ("jobs", "visual_review.actions", "Jobs run the domain, never actions"),
    ("config", "visual_review.client", "Only the command line reaches the client"),
    ("builds", "httpx", "Domain packages make no HTTP call"),
    ("web", "visual_review.hosts", f"{FEW_IMPORTERS} Git providers"),
    ("web", "visual_review.payments", f"{FEW_IMPORTERS} payment providers"),
)
RULE_MODULES = (
    "accounts.permissions",
    "builds.states",
    "builds.baselines.sets",
    "repositories.capture_rules",
)
DATABASE_MODULE = f"{PACKAGE}.kernel.queue"


@cache
def package_graph() -> grimp.ImportGraph:
    return grimp.build_graph(PACKAGE, include_external_packages=True, cache_dir=None)


@cache
def contracts() -> dict[str, Contract]:
    configure()
    options = read_user_options(config_filename=str(SETTINGS))
    assert options.session_options["root_packages"] == [PACKAGE]
    return {
        each["name"]: CONTRACT_CLASSES[each["type"]](each["name"], options.session_options, each)
        for each in options.contracts_options
    }


def breaks(graph: grimp.ImportGraph, name: str) -> bool:
    # A contract may change its graph.
    return not contracts()[name].check(deepcopy(graph), verbose=False).kept


def broken_contracts(graph: grimp.ImportGraph) -> list[str]:
    return [name for name in contracts() if breaks(graph, name)]


def add_import(graph: grimp.ImportGraph, importer: str, imported: str) -> None:
    if imported not in graph.modules:
        graph.add_module(imported, is_squashed=not imported.startswith(PACKAGE))
    graph.add_import(importer=importer, imported=imported)


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Check the package below the folder `source`; the folder comes before any installed copy."""
    return subprocess.run(
        [LINTER, "--config", SETTINGS, "--no-cache", "--no-logo"],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def verdicts(result: subprocess.CompletedProcess[str]) -> dict[str, str]:
    # A contract with ignored imports prints their number.
    plain = [line.partition(" (")[0] for line in result.stdout.splitlines()]
    lines = [line.rpartition(" ") for line in plain]
    return {name: verdict for name, _, verdict in lines if verdict in {"KEPT", "BROKEN"}}


def test_every_contract_is_kept() -> None:
    result = lint(ROOT / "src")
    assert result.returncode == 0, result.stdout + result.stderr
    assert verdicts(result) == dict.fromkeys(contracts(), "KEPT")
    assert broken_contracts(package_graph()) == []


def test_a_bad_import_breaks_its_contract(case: Case) -> None:
    for package, imported, contract in BAD_IMPORTS:
        with case(f"{package} imports {imported}"):
            graph = deepcopy(package_graph())
            add_import(graph, f"{PACKAGE}.{package}.intruder", imported)
            assert breaks(graph, contract)


def test_a_rule_that_knows_the_database_breaks_its_contract(case: Case) -> None:
    for module in RULE_MODULES:
        with case(module):
            graph = deepcopy(package_graph())
            add_import(graph, f"{PACKAGE}.{module}", DATABASE_MODULE)
            assert breaks(graph, PURE_RULES)


def test_two_modules_that_import_each_other_break_their_contract() -> None:
    graph = deepcopy(package_graph())
    one, two = f"{PACKAGE}.web.one", f"{PACKAGE}.web.two"
    add_import(graph, one, two)
    add_import(graph, two, one)
    assert broken_contracts(graph) == [CIRCLES]


def test_a_package_that_no_layer_names_breaks_the_layers() -> None:
    graph = deepcopy(package_graph())
    graph.add_module(f"{PACKAGE}.stray")
    assert broken_contracts(graph) == [LAYERS]


def test_every_contract_has_a_bad_import_here() -> None:
    assert {PURE_RULES, CIRCLES, *(contract for *_, contract in BAD_IMPORTS)} == set(contracts())


@pytest.fixture
def package_copy(tmp_path: Path) -> Path:
    package = tmp_path / PACKAGE
    shutil.copytree(ROOT / "src" / PACKAGE, package, ignore=shutil.ignore_patterns("*.pyc"))
    return package


def test_the_command_reads_bad_imports_from_the_files_and_fails(package_copy: Path) -> None:
    for number, (package, imported, _) in enumerate(BAD_IMPORTS):
        (package_copy / package.replace(".", "/") / f"intruder_{number}.py").write_text(
            f"import {imported}\n"
        )
    for module in RULE_MODULES:
        path = package_copy / f"{module.replace('.', '/')}.py"
        path.write_text(f"{path.read_text()}\nimport {DATABASE_MODULE}\n")
    result = lint(package_copy.parent)
    assert result.returncode == 1
    assert verdicts(result) == dict.fromkeys(contracts(), "BROKEN"), result.stdout
