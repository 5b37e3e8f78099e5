"""The scripted reviewer of ``bench-agent`` decides a small build over MCP."""

from pathlib import Path

import pytest
from benchmarks.agent.publishing import publish_plan, read_decisions
from benchmarks.agent.redesign import plan_redesign
from benchmarks.agent.results import Bars, compute_bars
from benchmarks.agent.runs import measure, run_review
from scripts.demo_server import DemoServer


@pytest.mark.deep
def test_a_small_build_is_decided_in_few_calls_and_every_defect_rejected(
    server: DemoServer, tmp_path: Path
) -> None:
    plan = plan_redesign(24, 30, 8, 1)
    build = publish_plan(server, plan, "harbour/redesign", tmp_path)
    done = run_review(server.url, server.key, build.id)
    row = measure(plan, build, done, read_decisions(server, build))
    # Sixteen of the changes are intended and recur.
    bars = list(compute_bars(row, Bars(calls=3, tokens=12_000, right=24, all_shown=True)))
    assert [bar.text for bar in bars if bar.missed] == []
    assert row.tokens > 0
    assert row.groups < len(row.expected)
