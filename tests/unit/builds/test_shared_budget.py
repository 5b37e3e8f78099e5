"""Threads share a budget; organizations take turns, whatever they need."""

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.images.image_memory import FairQueue, Request, SharedBudget
from visual_review.kernel.errors import UnavailableError

SECONDS = 60
OURS, THEIRS = "org_ours", "org_theirs"


class Worker:
    """A thread with a reservation, held until the test ends the thread."""

    def __init__(
        self, pool: ThreadPoolExecutor, budget: SharedBudget, size: int, organization_id: str = OURS
    ) -> None:
        self.has_memory = Event()
        self._end = Event()
        self._done: Future[None] = pool.submit(self._run, budget, size, organization_id)

    def _run(self, budget: SharedBudget, size: int, organization_id: str) -> None:
        with budget.reserve(organization_id, size):
            self.has_memory.set()
            assert self._end.wait(SECONDS)

    def finish(self) -> None:
        assert self.has_memory.wait(SECONDS)
        self._end.set()
        self._done.result(SECONDS)


def wait_in_line(budget: SharedBudget, count: int) -> None:
    """Return once ``count`` threads wait, so that the order of the line is known."""
    deadline = time.monotonic() + SECONDS
    while budget.waiting != count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_fits_runs_at_once_and_the_rest_in_order() -> None:
    budget = SharedBudget(100, "Busy. Try again.")
    with ThreadPoolExecutor(4) as pool:
        first, second = Worker(pool, budget, 60), Worker(pool, budget, 40)
        assert first.has_memory.wait(SECONDS)
        assert second.has_memory.wait(SECONDS)
        large = Worker(pool, budget, 90)
        wait_in_line(budget, 1)
        small = Worker(pool, budget, 10)
        wait_in_line(budget, 2)
        second.finish()
        # There is room for the small one, but the large one came first.
        assert not small.has_memory.wait(0.05)
        first.finish()
        large.finish()
        small.finish()


def test_what_exceeds_the_budget_runs_alone() -> None:
    budget = SharedBudget(100, "Busy. Try again.")
    with ThreadPoolExecutor(2) as pool:
        huge = Worker(pool, budget, 1000)
        assert huge.has_memory.wait(SECONDS)
        with pytest.raises(UnavailableError), budget.reserve(OURS, 1, wait_seconds=0):
            pass
        huge.finish()
    with budget.reserve(OURS, 100, wait_seconds=0):
        pass


def test_a_long_line_is_refused_and_leaves_no_trace() -> None:
    budget = SharedBudget(100, "Busy. Try again.")
    with ThreadPoolExecutor(2) as pool:
        holder = Worker(pool, budget, 100)
        assert holder.has_memory.wait(SECONDS)
        waiting = Worker(pool, budget, 50)
        wait_in_line(budget, 1)
        refused = budget.reserve(OURS, 1, SECONDS, longest_queue=1)
        with pytest.raises(UnavailableError, match="Try again"), refused:
            pass
        holder.finish()
        waiting.finish()
    with budget.reserve(OURS, 100, wait_seconds=0):
        pass


def test_an_error_returns_the_memory() -> None:
    budget = SharedBudget(100, "Busy. Try again.")
    for _ in range(3):
        with pytest.raises(ValueError, match="broken"), budget.reserve(OURS, 80):
            raise ValueError("broken")


def test_another_organization_goes_before_the_line_of_the_first() -> None:
    budget = SharedBudget(2, "Busy. Try again.")
    with ThreadPoolExecutor(5) as pool:
        running = [Worker(pool, budget, 1) for _ in range(2)]
        for worker in running:
            assert worker.has_memory.wait(SECONDS)
        waiting = [Worker(pool, budget, 1) for _ in range(2)]
        wait_in_line(budget, 2)
        other = Worker(pool, budget, 1, THEIRS)
        wait_in_line(budget, 3)
        running[0].finish()
        other.finish()
        for worker in (running[1], *waiting):
            worker.finish()


def test_a_full_line_makes_room_for_an_organization_that_waits_less() -> None:
    budget = SharedBudget(100, "Busy. Try again.")

    def wait_for_one(organization_id: str) -> None:
        with budget.reserve(organization_id, 100, SECONDS, longest_queue=2):
            pass

    with ThreadPoolExecutor(4) as pool:
        holder = Worker(pool, budget, 100)
        assert holder.has_memory.wait(SECONDS)
        ours = [pool.submit(wait_for_one, OURS) for _ in range(2)]
        wait_in_line(budget, 2)
        theirs = pool.submit(wait_for_one, THEIRS)
        refused, _ = wait(ours, SECONDS, FIRST_COMPLETED)
        assert [str(each.exception()) for each in refused] == ["Busy. Try again."]
        assert budget.waiting == 2
        holder.finish()
        assert theirs.result(SECONDS) is None
    assert sum(each.exception() is None for each in ours) == 1


SIZE = 10
ORGANIZATIONS = ("org_a", "org_b", "org_c")
asked = st.lists(
    st.builds(Request, st.sampled_from(ORGANIZATIONS), st.integers(1, SIZE)), max_size=60
)


class Simulation:
    """Requests to a budget of ``SIZE``; granted ones run until the oldest is ended."""

    def __init__(self) -> None:
        self.queue = FairQueue(SIZE)
        self.requests: list[Request] = []
        self.running: list[Request] = []
        self.given = 0

    def ask(self, request: Request) -> None:
        self.requests.append(request)
        self.queue.add(request)
        self._give_turns()

    def end_oldest(self) -> None:
        self.queue.end(self.running.pop(0))
        self._give_turns()

    def _give_turns(self) -> None:
        waiting = [each for each in self.requests if not each.has_turn]
        self.queue.give_turns()
        begun = [each for each in waiting if each.has_turn]
        self.given += sum(each.size for each in begun)
        self.running += begun
        assert sum(each.size for each in self.running) <= SIZE


@given(asked)
def test_everyone_has_a_turn_and_an_organization_in_its_order(requests: list[Request]) -> None:
    simulation = Simulation()
    for request in requests:
        simulation.ask(request)
    while len(simulation.queue):
        for organization_id in ORGANIZATIONS:
            own = [each.has_turn for each in requests if each.organization_id == organization_id]
            assert own == sorted(own, reverse=True)
        # Fails if nothing runs while someone waits.
        simulation.end_oldest()
    assert all(request.has_turn for request in requests)


@given(asked, st.integers(1, SIZE))
def test_however_many_wait_a_newcomer_soon_has_its_turn(requests: list[Request], size: int) -> None:
    simulation = Simulation()
    for request in requests:
        simulation.ask(request)
    given_before = simulation.given
    newcomer = Request("org_new", size)
    simulation.ask(newcomer)
    while not newcomer.has_turn:
        simulation.end_oldest()
    # One turn of each organization, and all that passed while the newcomer did not fit.
    assert simulation.given - given_before - size <= SIZE * len(ORGANIZATIONS) + size + SIZE


def test_what_needs_much_waits_for_few_that_need_little() -> None:
    simulation = Simulation()
    for _ in range(100):
        simulation.ask(Request(OURS, 1))
    simulation.ask(Request(THEIRS, SIZE))
    while not simulation.requests[-1].has_turn:
        simulation.end_oldest()
    assert simulation.given == SIZE + SIZE + SIZE
