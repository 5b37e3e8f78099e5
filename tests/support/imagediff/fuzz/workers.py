"""Processes for checking cases; a process that dies leaves the number of its case."""

import ctypes
import multiprocessing
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

# A case takes milliseconds; so much CPU time is an endless loop or a bomb.
CASE_SECONDS = 20
MEMORY = 3 << 30
REPORT_SECONDS = 1.0

Check = Callable[[int], bool]


@dataclass(frozen=True)
class Job:
    """The numbers ``first``, ``first + step``, ... up to ``end``, until ``deadline``."""

    first: int
    step: int
    end: int
    deadline: float


@dataclass(frozen=True)
class Report:
    """Cases checked since the last report, and how many of them were readable."""

    checked: int
    read: int


@dataclass(frozen=True)
class Finding:
    """A case with different verdicts, or one that ended its process."""

    number: int
    problem: str


def check_all(check: Check, jobs: list[Job]) -> Iterator[Report | Finding]:
    """Check the cases of each job in a process of its own; yield the reports."""
    running = {start(check, job): job for job in jobs}
    while running:
        for receiver in wait([worker.receiver for worker in running]):
            worker = next(each for each in running if each.receiver is receiver)
            message = worker.receive()
            if message is not None:
                yield message
                continue
            job = running.pop(worker)
            died_at = worker.end()
            if died_at is None:
                continue
            yield Finding(*died_at)
            rest = Job(died_at[0] + job.step, job.step, job.end, job.deadline)
            running[start(check, rest)] = rest


@dataclass(frozen=True, eq=False)
class Worker:
    """A process, the receiver of its reports, and the number of its present case."""

    process: BaseProcess
    receiver: Connection
    current: ctypes.c_longlong

    def receive(self) -> Report | Finding | None:
        try:
            message: Report | Finding = self.receiver.recv()
        except EOFError:
            return None
        return message

    def end(self) -> tuple[int, str] | None:
        """Return the case that ended the process, None if the process ended by itself."""
        self.process.join()
        code = self.process.exitcode
        if code == 0:
            return None
        took_long = code == -signal.SIGPROF
        reason = f"takes more than {CASE_SECONDS} s of CPU time" if took_long else f"code {code}"
        return self.current.value, f"ended the process: {reason}"


def start(check: Check, job: Job) -> Worker:
    # Forked, so that the images are loaded once.
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    current = context.Value("q", job.first, lock=False)
    process = context.Process(target=work, args=(check, job, sender, current), daemon=True)
    process.start()
    # The end of the process closes the last copy; the receiver notices.
    sender.close()
    return Worker(process, receiver, current)


def work(check: Check, job: Job, sender: Connection, current: ctypes.c_longlong) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    checked, read, reported = 0, 0, time.monotonic()
    for number in range(job.first, job.end, job.step):
        current.value = number
        # The timer's signal ends the process, even within the engines, where Python could not.
        signal.setitimer(signal.ITIMER_PROF, CASE_SECONDS)
        try:
            read += check(number)
        except Exception:  # noqa: BLE001 - Whatever a case raises is a finding.
            sender.send(Finding(number, traceback.format_exc(limit=-3)))
        checked += 1
        now = time.monotonic()
        if now - reported > REPORT_SECONDS or now > job.deadline:
            sender.send(Report(checked, read))
            checked, read, reported = 0, 0, now
        if now > job.deadline:
            return
    sender.send(Report(checked, read))
