"""The attacks on the service's availability, each with its clients and requests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.availability.attackers import Attack

CONNECTIONS: Final = 500
OWN: Final = ("127.0.0.1",)
OTHERS: Final = tuple(f"127.0.0.{number}" for number in range(2, 42))
STATIC: Final = "/static/web/base.css"
BODY_BYTES: Final = 128 * 1024 * 1024


@dataclass(frozen=True)
class Target:
    """The service as an attacker sees it; ``image`` is a signed link.

    Those who signed in have the header ``cookies``, and read ``own_image`` and ``events``.
    """

    address: tuple[str, int]
    image: str
    own_image: str
    events: str
    cookies: str

    def get(self, path: str, *headers: str) -> bytes:
        return self._head("GET", path, *headers) + b"\r\n"

    def post(self, path: str, size: int, *headers: str) -> bytes:
        return self._head("POST", path, f"Content-Length: {size}", *headers) + b"\r\n"

    def _head(self, method: str, path: str, *headers: str) -> bytes:
        host, port = self.address
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}", *headers]
        return "\r\n".join([*lines, ""]).encode()


@dataclass(frozen=True)
class Case:
    """What the attackers do; several kinds of them may attack together."""

    name: str
    attacks: Callable[[Target], Sequence[Attack]]


def _readers(path: str, sources: tuple[str, ...]) -> Callable[[Target], list[Attack]]:
    def attacks(target: Target) -> list[Attack]:
        request = target.get(path or target.image)
        return [Attack("read_nothing", target.address, sources, CONNECTIONS, request)]

    return attacks


def _signed_in_readers(path_of: Callable[[Target], str]) -> Callable[[Target], list[Attack]]:
    def attacks(target: Target) -> list[Attack]:
        request = target.get(path_of(target), f"Cookie: {target.cookies}")
        return [Attack("read_nothing", target.address, OTHERS, CONNECTIONS, request)]

    return attacks


def _half_sent(target: Target) -> list[Attack]:
    half = CONNECTIONS // 2
    post = target.post("/sign-in", 1000)
    return [
        Attack("drip_head", target.address, OTHERS, half, target.get("/sign-in")),
        Attack("drip_body", target.address, OTHERS, half, post),
    ]


def _floods(target: Target) -> list[Attack]:
    upload = target.post("/blobs/incoming/nothing", BODY_BYTES).replace(b"POST", b"PUT", 1)
    requests = [
        target.post("/sign-in", BODY_BYTES),
        upload,
        target.post("/api/webhooks/hosts/host_unknown", BODY_BYTES),
        target.post("/api/ci/builds", BODY_BYTES, "Authorization: Bearer vr_ci_wrong"),
        target.post("/api/rest/actions/list_repos", BODY_BYTES),
    ]
    return [
        Attack("flood_body", target.address, OTHERS, 8, request, BODY_BYTES) for request in requests
    ]


CASES: Final = (
    Case("no one attacks", lambda _: []),
    Case("500 read no static file, elsewhere", _readers(STATIC, OTHERS)),
    Case("500 read no static file, own address", _readers(STATIC, OWN)),
    Case("500 read no signed image, elsewhere", _readers("", OTHERS)),
    Case("500 read no page, elsewhere", _readers("/sign-in", OTHERS)),
    Case("500 members read no image", _signed_in_readers(lambda target: target.own_image)),
    Case("500 members read no event", _signed_in_readers(lambda target: target.events)),
    Case("500 send half a request, elsewhere", _half_sent),
    Case("40 send 128 MB without a right to", _floods),
)
