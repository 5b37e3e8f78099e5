"""Check damaged images for a given time; save every finding, and end with 1 if there is one."""

import argparse
import os
import random
import sys
import time
from pathlib import Path

from tests.support.imagediff.fuzz.corpus import Corpus, has_samples, load_corpus
from tests.support.imagediff.fuzz.damaged_input import FuzzCase, make_case
from tests.support.imagediff.fuzz.verdicts import check_case, use_library
from tests.support.imagediff.fuzz.workers import Check, Finding, Job, check_all

MODULE = "python -m tests.support.imagediff.fuzz"
PROGRESS_SECONDS = 10.0


def main() -> int:
    chosen = parse(sys.argv[1:])
    if chosen.library:
        use_library(chosen.library)
    if chosen.replay:
        read = check_case(FuzzCase.load(chosen.replay))
        say(f"both engines {'read it' if read else 'refuse it with the same message'}")
        return 0
    if not has_samples():
        say("There are no images in VISUAL_REVIEW_SAMPLES: only small made images are used.")
    run = Run(load_corpus(), chosen.seed, chosen.findings)
    deadline = time.monotonic() + chosen.seconds
    jobs = [
        Job(first, chosen.processes, chosen.first + chosen.cases, deadline)
        for first in range(chosen.first, chosen.first + chosen.processes)
    ]
    return run.check(jobs)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=MODULE, description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", type=int, default=sys.maxsize // 2, help="at most this many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--library", type=Path, help="another build of the native engine")
    parser.add_argument("--replay", type=Path, help="check one saved finding")
    return parser.parse_args(arguments)


class Run:
    """The cases of one seed, counted, with the findings saved."""

    def __init__(self, corpus: Corpus, seed: int, findings: Path) -> None:
        self._corpus = corpus
        self._seed = seed
        self._folder = findings
        self._checked = self._read = self._found = 0
        self._start = self._said = time.monotonic()

    def check(self, jobs: list[Job]) -> int:
        say(f"seed {self._seed}, {len(jobs)} processes, findings go to {self._folder}")
        for message in check_all(self._checker(), jobs):
            if isinstance(message, Finding):
                self._save(message)
                continue
            self._checked += message.checked
            self._read += message.read
            if time.monotonic() - self._said > PROGRESS_SECONDS:
                self._say()
        self._say()
        return 1 if self._found else 0

    def _checker(self) -> Check:
        return lambda number: check_case(make_case(self._corpus, self._seed, number))

    def _save(self, finding: Finding) -> None:
        self._found += 1
        folder = self._folder / f"{self._seed}-{finding.number}"
        make_case(self._corpus, self._seed, finding.number).save(folder)
        reproduce = f"{MODULE} --replay {folder}"
        (folder / "problem.txt").write_text(f"{finding.problem}\nReproduce: {reproduce}\n")
        say(f"case {finding.number}: {finding.problem.strip()}\n  {reproduce}")

    def _say(self) -> None:
        self._said = time.monotonic()
        rate = self._checked / max(self._said - self._start, 1e-9)
        say(
            f"{self._checked:,} cases, {rate:,.0f}/s, {self._read:,} of them read, "
            f"{self._found} findings, seed {self._seed}"
        )


if __name__ == "__main__":
    sys.exit(main())
