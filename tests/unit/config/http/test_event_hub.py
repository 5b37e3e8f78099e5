"""The hub asks once for all streams, wakes streams of changed builds, and has limits."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import pytest
from django.db import OperationalError

from visual_review.config.http import event_hub
from visual_review.config.http.event_hub import EventHub, EventStream, TooManyStreamsError
from visual_review.config.http.threads import RequestThreads
from visual_review.web.server_events import StreamReader


class Cursors:
    """The cursors of builds, and the builds of each request."""

    def __init__(self) -> None:
        self.current = {"build_1": "1", "build_2": "1"}
        self.asked: list[list[str]] = []
        self.failures = 0

    def read(self, builds: Sequence[str]) -> Mapping[str, object]:
        self.asked.append(list(builds))
        if self.failures:
            self.failures -= 1
            raise OperationalError("The database restarts.")
        return {build: self.current[build] for build in builds if build in self.current}


@pytest.fixture(autouse=True)
def quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_hub, "POLL_SECONDS", 0.01)


def run_with(cursors: Cursors, work: Callable[[EventHub], Awaitable[None]], most: int = 9) -> None:
    async def run() -> None:
        threads = RequestThreads(1)
        hub = EventHub(cursors.read, threads, most)
        try:
            await work(hub)
        finally:
            hub.stop()
            await asyncio.to_thread(threads.close)

    asyncio.run(run())


def reader(build: str = "build_1", person: str = "alice") -> StreamReader:
    return StreamReader(person, build, "1")


async def next_cursor(stream: EventStream) -> str | None:
    async with asyncio.timeout(30):
        await stream.woken.wait()
    return stream.take()


def test_only_streams_of_a_changed_build_are_woken() -> None:
    cursors = Cursors()

    async def work(hub: EventHub) -> None:
        streams = [hub.open(reader()), hub.open(reader()), hub.open(reader("build_2"))]
        cursors.current["build_1"] = "2"
        assert [await next_cursor(stream) for stream in streams[:2]] == ["2", "2"]
        assert not streams[2].woken.is_set()
        for stream in streams:
            hub.close(stream)

    run_with(cursors, work)
    # One query for both builds, and none for one alone.
    assert {tuple(asked) for asked in cursors.asked} == {("build_1", "build_2")}


def test_no_one_asks_while_no_one_watches() -> None:
    cursors = Cursors()

    async def work(hub: EventHub) -> None:
        hub.close(hub.open(reader()))
        await asyncio.sleep(0.05)
        asked = len(cursors.asked)
        await asyncio.sleep(0.05)
        assert len(cursors.asked) == asked
        stream = hub.open(reader())
        cursors.current["build_1"] = "2"
        assert await next_cursor(stream) == "2"

    run_with(cursors, work)


def test_a_slow_reader_gets_only_the_newest() -> None:
    stream = EventStream(reader())
    for cursor in ("2", "3", "4"):
        stream.notify(cursor)
    assert (stream.take(), stream.take()) == ("4", None)


def test_a_build_that_is_gone_ends_its_streams() -> None:
    cursors = Cursors()

    async def work(hub: EventHub) -> None:
        stream = hub.open(reader())
        del cursors.current["build_1"]
        assert await next_cursor(stream) is None
        assert stream.ended

    run_with(cursors, work)


def test_streams_survive_a_restart_of_the_database() -> None:
    cursors = Cursors()
    cursors.failures = 2

    async def work(hub: EventHub) -> None:
        stream = hub.open(reader())
        cursors.current["build_1"] = "2"
        assert await next_cursor(stream) == "2"

    run_with(cursors, work)


def test_streams_are_limited_for_a_person_and_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_hub, "MAX_OF_PERSON", 2)

    async def work(hub: EventHub) -> None:
        streams = [hub.open(reader()), hub.open(reader())]
        with pytest.raises(TooManyStreamsError):
            hub.open(reader())
        hub.open(reader(person="bob"))
        with pytest.raises(TooManyStreamsError):
            hub.open(reader(person="carol"))
        hub.close(streams[0])
        hub.open(reader())

    run_with(Cursors(), work, most=3)
