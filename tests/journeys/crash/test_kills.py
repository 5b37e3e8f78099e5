"""kill -9 at random moments: every build ends, nothing is doubled, nothing lost.

``--crash-rounds=500`` makes a longer run, ``--crash-seed=N`` the same choices again.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.crash.killed_service import KilledService
from tests.support.crash.lanes import Lane
from tests.support.crash.ledger import check_all, open_database, unfinished_jobs
from tests.support.depth import rounds, seed
from tests.support.servers.service import open_folder, wait_until
from tests.support.servers.template import copy_data_folder

LANES = 3
LONGEST_PAUSE = 0.6
MOST_IDLE = 10.0
LOG_SHOWN = 8000
# Each is killed at least once.
ROUNDS = rounds(8, 50)
# How often each is killed, in a hundred rounds.
VICTIMS = {"client": 62, "worker": 17, "web": 15, "backend": 4, "all": 2}


@pytest.fixture
def service() -> Iterator[KilledService]:
    with open_folder() as folder:
        started = KilledService(copy_data_folder(folder / "data"))
        started.begin()
        yield started
        started.end()
        print(started.written()[-LOG_SHOWN:])  # noqa: T201 - pytest shows it after a failure.


@pytest.mark.search
@pytest.mark.timeout(0)
def test_whatever_is_killed_every_build_ends_once_and_right(
    service: KilledService, pytestconfig: pytest.Config
) -> None:
    kills: int = pytestconfig.getoption("crash_rounds") or ROUNDS
    chosen: int = pytestconfig.getoption("crash_seed") or seed()
    print(f"crash seed {chosen}")  # noqa: T201 - It makes the same choices again.
    dice = random.Random(chosen)
    lanes = [
        Lane(
            service,
            service.data.parent / "shown",
            f"lane-{number}",
            random.Random(f"{chosen} {number}"),
        )
        for number in range(LANES)
    ]
    for lane in lanes:
        lane.connect()
    stop = threading.Event()
    with ThreadPoolExecutor(LANES) as pool:
        working = [pool.submit(lane.work, stop) for lane in lanes]
        try:
            kill(service, lanes, dice, kills, lambda: any(each.done() for each in working))
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
    print_summary(lanes)


def kill(
    service: KilledService,
    lanes: list[Lane],
    dice: random.Random,
    kills: int,
    lane_failed: Callable[[], bool],
) -> None:
    """Kill as often, unless a lane ended before its time, which is an error."""
    for victim in choose_victims(dice, kills):
        if lane_failed():
            return
        lane = wait_for_busy_lane(lanes, dice, to_kill=victim == "client")
        time.sleep(dice.uniform(0, LONGEST_PAUSE))
        if victim == "client":
            lane.kill_client()
        elif victim == "backend":
            service.kill_backend(dice)
        elif victim == "all":
            service.kill_all()
        else:
            service.kill_child(victim)


def wait_for_busy_lane(lanes: list[Lane], dice: random.Random, *, to_kill: bool) -> Lane:
    """A lane whose client is publishing: kills between builds or in its start hit nothing."""
    deadline = time.monotonic() + MOST_IDLE
    while time.monotonic() < deadline:
        busy = [lane for lane in lanes if (lane.may_be_killed if to_kill else lane.is_publishing)]
        if busy:
            return dice.choice(busy)
        time.sleep(0.02)
    return dice.choice(lanes)


def choose_victims(dice: random.Random, kills: int) -> list[str]:
    """Each kind in its share, at least once, in random order."""
    whole = [name for name, share in VICTIMS.items() for _ in range(max(1, kills * share // 100))]
    victims = (whole + ["client"] * kills)[:kills]
    dice.shuffle(victims)
    return victims


def print_summary(lanes: list[Lane]) -> None:
    """What was published, for those who watch a long run."""
    codes = Counter(text.split()[2] for lane in lanes for text in lane.outputs)
    builds = sum(len(lane.published) for lane in lanes)
    print(f"{builds} builds; the client's exit codes: {dict(codes)}")  # noqa: T201 - As above.
