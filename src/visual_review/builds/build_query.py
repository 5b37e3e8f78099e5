"""Find builds: by the filter line of their list, such as ``state:open branch:main pr:12``."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from visual_review.builds.models import COMMIT_LENGTH, Build, PullRequest
from visual_review.builds.states import (
    APPROVED,
    COMPLETED,
    FAILED,
    NOT_REQUIRED,
    PROCESSING,
    REJECTED,
)
from visual_review.builds.waiting_builds import only_to_review

OPEN: Final = "open"
# Shorter hashes are padded by git itself.
FULL_HASH: Final = 40
STATES: Final[Mapping[str, Q]] = {
    OPEN: Q(),
    "approved": Q(status=COMPLETED, review_state=APPROVED),
    "rejected": Q(status=COMPLETED, review_state=REJECTED),
    "unchanged": Q(status=COMPLETED, review_state=NOT_REQUIRED),
    "failed": Q(status=FAILED),
    "running": Q(status=PROCESSING),
}
FILTERS: Final = ("state", "branch", "author", "pr", "commit", "product")
# People type a few; a program could send thousands in a URL.
MOST_TEXTS: Final = 10
_TOKEN: Final = re.compile(
    r'(?:(?P<name>[a-z]+):)?(?:"(?P<quoted>[^"]*)"|(?P<plain>\S+))', re.IGNORECASE
)
# Of a pull request or build: the columns hold no larger number.
_NUMBER: Final = re.compile(r"#?([0-9]{1,9})")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)


@dataclass(frozen=True)
class BuildQuery:
    """The parsed filter line; ``problem`` names its first error, empty without one."""

    filters: Mapping[str, str]
    texts: tuple[str, ...] = ()
    problem: str = ""

    def __str__(self) -> str:
        filters = [f"{name}:{_quote(value)}" for name, value in self.filters.items()]
        return " ".join((*filters, *map(_quote, self.texts)))

    def having(self, name: str, value: str) -> "BuildQuery":
        """Return the query with another value of one filter; an empty value removes the filter."""
        others = {each: kept for each, kept in self.filters.items() if each != name}
        return replace(self, filters=others | ({name: value} if value else {}))


def parse_query(line: str) -> BuildQuery:
    """Return the query of a filter line. Unknown parts are left out and named."""
    filters: dict[str, str] = {}
    texts: list[str] = []
    problem = ""
    for token in _TOKEN.finditer(line.replace("\0", " ")):
        name, value = (token["name"] or "").lower(), token["quoted"] or token["plain"] or ""
        if not name:
            texts.append(value)
        elif wrong := _problem_of(name, value) or _repeated(name, filters):
            problem = problem or wrong
        else:
            filters[name] = value
    texts = [text for text in texts if text]
    if len(texts) > MOST_TEXTS:
        problem = problem or f"Only the first {MOST_TEXTS} texts count."
    return BuildQuery(filters, tuple(texts[:MOST_TEXTS]), problem)


def _problem_of(name: str, value: str) -> str:
    if name not in FILTERS:
        return f"“{name}:” is not a filter. There are {', '.join(f'{each}:' for each in FILTERS)}."
    if name == "state" and value not in STATES:
        return f"“{value}” is not a state. There are {', '.join(STATES)}."
    if name == "pr" and not _NUMBER.fullmatch(value):
        return f"“{value}” is not the number of a pull request."
    return "" if value else f"“{name}:” needs a value right after the colon."


def _repeated(name: str, filters: Mapping[str, str]) -> str:
    return f"“{name}:” is there more than once. The first one counts." if name in filters else ""


def filter_builds(rows: QuerySet[Build], query: BuildQuery) -> QuerySet[Build]:
    """Return the builds matching the query."""
    filters = query.filters
    state = filters.get("state")
    if state:
        rows = only_to_review(rows) if state == OPEN else rows.filter(STATES[state])
    for name, lookup in (
        ("branch", "branch"),
        ("author", "author__icontains"),
        ("product", "product__key"),
    ):
        if name in filters:
            rows = rows.filter(**{lookup: filters[name]})
    if "commit" in filters:
        rows = rows.filter(_has_commit(filters["commit"]))
    if "pr" in filters:
        rows = rows.filter(pull_request=int(filters["pr"].lstrip("#")))
    for text in query.texts:
        rows = rows.filter(matches_text(text))
    return rows


def matches_text(text: str) -> Q:
    """Return the condition for builds with a text: part of a column, or a number."""
    titles = PullRequest.objects.filter(
        repository=OuterRef("repository"), number=OuterRef("pull_request"), title__icontains=text
    )
    found = Q(message__icontains=text) | Q(branch__icontains=text) | Q(Exists(titles))
    if number := _NUMBER.fullmatch(text):
        found |= Q(number=int(number[1])) | Q(pull_request=int(number[1]))
    if _COMMIT.fullmatch(text):
        found |= _has_commit(text)
    return found


def _has_commit(text: str) -> Q:
    # Only whole values are found by the index.
    is_whole = FULL_HASH <= len(text) <= COMMIT_LENGTH
    return Q(**{"commit" if is_whole else "commit__startswith": text.lower()})


def pull_requests_of(builds: Sequence[Build]) -> list[PullRequest]:
    """Return the known pull requests of ``builds``, each once."""
    wanted = {(build.repository_id, build.pull_request) for build in builds if build.pull_request}
    if not wanted:
        return []
    rows: QuerySet[PullRequest] = PullRequest.objects.filter(
        repository_id__in={repository for repository, _ in wanted},
        number__in={number for _, number in wanted},
    )
    return _in_order(builds, [row for row in rows if (row.repository_id, row.number) in wanted])


def _in_order(builds: Sequence[Build], rows: Iterable[PullRequest]) -> list[PullRequest]:
    known = {(row.repository_id, row.number): row for row in rows}
    keys = dict.fromkeys((build.repository_id, build.pull_request) for build in builds)
    return [known[key] for key in keys if key in known]


def _quote(value: str) -> str:
    return f'"{value}"' if re.search(r"[\s:]", value) else value
