"""kill -9 at random moments: every build ends, nothing is doubled, nothing lost.

``--crash-rounds=500`` makes the longer run, ``--crash-seed=N`` the same choices again.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.journeys.crash.disturbed import Disturbed
from tests.journeys.crash.lanes import Lane
from tests.journeys.crash.ledger import check_all, open_database, unfinished_jobs
from tests.servers.service import open_folder, wait_until

LANES = 3
LONGEST_PAUSE = 0.6
MOST_IDLE = 10.0
LOG_SHOWN = 8000
# How often each is killed, in a hundred rounds.
VICTIMS = {"client": 62, "worker": 17, "web": 15, "backend": 4, "all": 2}


@pytest.fixture
def service() -> Iterator[Disturbed]:
    with open_folder() as folder:
        started = Disturbed(folder / "data")
        started.begin()
        yield started
        started.end()
        print(started.written()[-LOG_SHOWN:])  # noqa: T201 - pytest shows it after a failure.


@pytest.mark.timeout(0)
def test_whatever_is_killed_every_build_ends_once_and_right(
    service: Disturbed, pytestconfig: pytest.Config
) -> None:
    rounds: int = pytestconfig.getoption("crash_rounds")
    seed: int = pytestconfig.getoption("crash_seed") or random.SystemRandom().randrange(10**6)
    print(f"crash seed {seed}")  # noqa: T201 - For whoever wants the same run again.
    dice = random.Random(seed)
    lanes = [
        Lane(
            service,
            service.data.parent / "shown",
            f"lane-{number}",
            random.Random(f"{seed} {number}"),
        )
        for number in range(LANES)
    ]
    for lane in lanes:
        lane.connect()
    stop = threading.Event()
    with ThreadPoolExecutor(LANES) as pool:
        working = [pool.submit(lane.work, stop) for lane in lanes]
        try:
            kill(service, lanes, dice, rounds, lambda: any(each.done() for each in working))
        except BaseException:
            service.lost.set()
            raise
        finally:
            stop.set()
        for each in working:
            each.result()
    with open_database(service.data) as database:
        wait_until("all jobs have ended", lambda: unfinished_jobs(database) == 0)
        check_all(database, lanes, service.data)
    tell(lanes)


def kill(
    service: Disturbed,
    lanes: list[Lane],
    dice: random.Random,
    rounds: int,
    broken: Callable[[], bool],
) -> None:
    """One kill a round, unless a lane ended before its time, which is an error."""
    for victim in choose_victims(dice, rounds):
        if broken():
            return
        lane = at_work(lanes, dice, killed=victim == "client")
        time.sleep(dice.uniform(0, LONGEST_PAUSE))
        if victim == "client":
            lane.kill_client()
        elif victim == "backend":
            service.kill_backend(dice)
        elif victim == "all":
            service.kill_all()
        else:
            service.kill_child(victim)


def at_work(lanes: list[Lane], dice: random.Random, *, killed: bool) -> Lane:
    """A lane whose client is at work: kills between builds or in its start hit nothing."""
    deadline = time.monotonic() + MOST_IDLE
    while time.monotonic() < deadline:
        busy = [lane for lane in lanes if (lane.vulnerable if killed else lane.talks)]
        if busy:
            return dice.choice(busy)
        time.sleep(0.02)
    return dice.choice(lanes)


def choose_victims(dice: random.Random, rounds: int) -> list[str]:
    """Each kind in its share, at least once, in random order."""
    whole = [name for name, share in VICTIMS.items() for _ in range(max(1, rounds * share // 100))]
    victims = (whole + ["client"] * rounds)[:rounds]
    dice.shuffle(victims)
    return victims


def tell(lanes: list[Lane]) -> None:
    """What was published, for whoever looks at a long run."""
    codes = Counter(text.split()[2] for lane in lanes for text in lane.outputs)
    builds = sum(len(lane.published) for lane in lanes)
    print(f"{builds} builds; the client's exit codes: {dict(codes)}")  # noqa: T201 - As above.
