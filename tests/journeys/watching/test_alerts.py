"""The alert rules: each figure that they name exists, and Prometheus loads and evaluates them."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.journeys.watching.conftest import WatchedService
from tests.support.servers.service import CHECKOUT, HTTP, answers, free_port, wait_until
from visual_review.config.http.metrics import FIGURES, DatabaseFigures
from visual_review.kernel.metrics import REGISTRY

RULES: Final = CHECKOUT / "deploy" / "prometheus-alerts.yml"
GUIDE: Final = CHECKOUT / "docs" / "reference" / "monitoring.md"
NAME: Final = re.compile(r"visual_review_[a-z_]+")
SUFFIXES: Final = ("_bucket", "_count", "_sum")


@pytest.fixture
def figures(transactional_db: None) -> set[str]:  # noqa: ARG001 - It opens the database.
    """The names of all figures: of processes, of the database and of the disk."""
    families = [*REGISTRY.collect(), *DatabaseFigures().collect()]
    names = {family.name + ("_total" if family.type == "counter" else "") for family in families}
    disk = "visual_review_storage_free_bytes"
    return {
        disk,
        *(figure.name for figure in FIGURES),
        *(name for name in names if "visual" in name),
    }


def without_suffix(name: str) -> str:
    return next((name.removesuffix(each) for each in SUFFIXES if name.endswith(each)), name)


def test_rules_name_only_figures_that_exist(figures: set[str]) -> None:
    named = {without_suffix(name) for name in NAME.findall(RULES.read_text())}
    assert named
    assert named <= figures


def test_the_guide_describes_every_figure(figures: set[str]) -> None:
    rows = [line for line in GUIDE.read_text().splitlines() if line.startswith("| `visual_review_")]
    described = {name for row in rows for name in NAME.findall(row.split("|")[1])}
    assert described == figures


PROMETHEUS: Final = shutil.which("prometheus")
CONFIGURATION: Final = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: visual-review
    honor_labels: true
    static_configs: [{{targets: ["{web}", "{worker}"]}}]
"""


@pytest.fixture
def prometheus(service: WatchedService, tmp_path: Path) -> Iterator[str]:
    """A Prometheus with our rules that reads the service's figures every second."""
    if PROMETHEUS is None:
        pytest.skip("Prometheus is not installed (Debian: apt-get install prometheus).")
    hosts = {
        name: url.removeprefix("http://")
        for name, url in {"web": service.web, "worker": service.worker}.items()
    }
    configuration = tmp_path / "prometheus.yml"
    configuration.write_text(CONFIGURATION.format(rules=RULES, **hosts))
    url = f"127.0.0.1:{free_port()}"
    options = [f"--config.file={configuration}", f"--storage.tsdb.path={tmp_path / 'data'}"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [PROMETHEUS, *options, f"--web.listen-address={url}"], stdout=log, stderr=log
        )
    try:
        yield f"http://{url}/api/v1"
    finally:
        process.terminate()
        process.wait(60)


def ask(url: str) -> Any:  # noqa: ANN401 - JSON.
    return HTTP.get(url).json()["data"]


@pytest.mark.deep
def test_prometheus_reads_both_processes_and_evaluates_every_rule(prometheus: str) -> None:
    wait_until("it is ready", lambda: answers(f"{prometheus}/status/buildinfo"))
    wait_until(
        "both are read",
        lambda: (
            [each["health"] for each in ask(f"{prometheus}/targets")["activeTargets"]]
            == ["up", "up"]
        ),
    )

    def rules() -> list[dict[str, Any]]:
        return [rule for group in ask(f"{prometheus}/rules")["groups"] for rule in group["rules"]]

    wait_until("rules were evaluated", lambda: {rule["health"] for rule in rules()} == {"ok"})
    assert len(rules()) == RULES.read_text().count("- alert:")
    # The service works.
    assert [rule["name"] for rule in rules() if rule["state"] != "inactive"] == []
    found = ask(f"{prometheus}/query?query=visual_review_worker_last_seen_seconds")["result"]
    assert len(found) == 1
