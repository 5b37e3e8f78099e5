"""The table at the end: each step with its seconds and checks."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from scripts.first_use.errors import FirstUseError

HEAD: Final = ("step", "seconds", "checked")
FAILED: Final = "FAILED"


@dataclass
class Step:
    """One row of the table."""

    name: str
    seconds: float = 0
    checks: list[str] = field(default_factory=list)

    def check(self, holds: object, what: str, instead: str = "") -> None:
        """Note a checked fact. Raises FirstUseError if the fact does not hold."""
        if not holds:
            raise FirstUseError(f"This is not so: {what}." + (f"\n{instead}" if instead else ""))
        self.checks.append(what)


@dataclass
class Report:
    """The steps so far, and the printed lines not run, each with the reason."""

    steps: list[Step] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        step = Step(name)
        self.steps.append(step)
        print(f"first-use: {name}", flush=True)
        start = time.monotonic()
        try:
            yield step
        except BaseException:
            step.checks.append(FAILED)
            raise
        finally:
            step.seconds = time.monotonic() - start

    def omit(self, line: str, reason: str) -> None:
        self.not_run.append(f"{line}\n    {reason}")

    def text(self) -> str:
        total = sum(step.seconds for step in self.steps)
        parts = [format_table(self.steps), f"total: {total:.1f} s"]
        if self.not_run:
            parts += ["Printed lines that were not run, or not as printed:"]
            parts += [f"  {line}" for line in self.not_run]
        return "\n".join(parts)


def format_table(steps: Sequence[Step]) -> str:
    """Return the table, with each check on a line of its own."""
    rows = [HEAD]
    for step in steps:
        first, *others = step.checks or [""]
        rows.append((step.name, f"{step.seconds:.1f}", first))
        rows += [("", "", other) for other in others]
    name, seconds = (max(len(row[column]) for row in rows) for column in (0, 1))
    return "\n".join(f"{row[0]:<{name}}  {row[1]:>{seconds}}  {row[2]}".rstrip() for row in rows)
