"""Read ``CODEOWNERS``, and find the owners of a path and the members behind their names.

Source: https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
and, for sections, https://docs.gitlab.com/user/project/codeowners/reference/.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from django.db.models import QuerySet

from visual_review.accounts.models import User
from visual_review.kernel.clock import now
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.models import CodeOwners, OwnerMember, Repository

# As GitHub limits the file.
FILE_LENGTH: Final = 3_000_000
ANY_FOLDERS: Final = "**"
_TOKEN: Final = re.compile(r"(?:\\.|[^\s\\])+")
_ESCAPE: Final = re.compile(r"\\(.)")
# A section, its number of approvals, and the owners for rules without owners.
_SECTION: Final = re.compile(r"\^?\[([^\]]+)\](?:\[\d+\])?(?:\s+(.*))?")
# Neither host accepts such a pattern.
_UNUSABLE: Final = re.compile(r"^!|\[")


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """Any of ``patterns``, each split at slashes, matches the owners' files."""

    patterns: tuple[tuple[str, ...], ...]
    owners: tuple[str, ...]


CodeOwnerRules = Mapping[str, Sequence[OwnerRule]]


def parse_code_owners(text: str) -> CodeOwnerRules:
    """Return the rules of each section, in their order; the first section has no name.

    Lines that no host accepts are left out, as on the hosts.
    """
    sections: dict[str, list[OwnerRule]] = {"": []}
    name = ""
    defaults: tuple[str, ...] = ()
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            continue
        if found := _SECTION.fullmatch(stripped):
            name, defaults = found[1].casefold(), _owners_in(found[2] or "")
            sections.setdefault(name, [])
            continue
        tokens = _TOKEN.findall(stripped)
        if tokens and not _UNUSABLE.search(tokens[0]):
            rest = stripped[stripped.index(tokens[0]) + len(tokens[0]) :]
            owners = _owners_in(rest) or defaults
            sections[name].append(OwnerRule(_expand(_ESCAPE.sub(r"\1", tokens[0])), owners))
    return sections


def owners_of(rules: CodeOwnerRules, path: str) -> tuple[str, ...]:
    """Return the owners of a path: for each section, the owners in the last matching rule."""
    segments = path.strip("/").split("/")
    found: dict[str, None] = {}
    for section in rules.values():
        last = next((each for each in reversed(section) if _owns(each, segments)), None)
        found |= dict.fromkeys(last.owners if last else ())
    return tuple(found)


def names_in(rules: CodeOwnerRules) -> list[str]:
    """Return each owner once, sorted."""
    return sorted({name for section in rules.values() for rule in section for name in rule.owners})


def _owners_in(text: str) -> tuple[str, ...]:
    tokens = text.partition(" #")[0].split()
    return tuple(dict.fromkeys(token.casefold() for token in tokens if "@" in token))


def _expand(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return the patterns for files, and for all content of a folder with the name."""
    is_folder = pattern.endswith("/")
    segments = tuple(each for each in pattern.strip("/").split("/") if each)
    if "/" not in pattern.rstrip("/"):
        segments = (ANY_FOLDERS, *segments)
    # "docs/*" means the files there, and none in folders below.
    only_files = segments[-1:] == ("*",) and segments[:1] != (ANY_FOLDERS,)
    within = (*segments, "*", ANY_FOLDERS)
    if is_folder:
        return (within,)
    return (segments,) if only_files else (segments, within)


def _owns(rule: OwnerRule, path: Sequence[str]) -> bool:
    return any(_matches(pattern, path) for pattern in rule.patterns)


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Match names with wildcards, without the exponential search of a regular expression."""
    at = used = resume = 0
    last_any = -1
    while at < len(path):
        if used < len(pattern) and pattern[used] == ANY_FOLDERS:
            last_any, resume, used = used, at, used + 1
        elif used < len(pattern) and fnmatchcase(path[at], pattern[used]):
            at, used = at + 1, used + 1
        elif last_any >= 0:
            resume += 1
            at, used = resume, last_any + 1
        else:
            return False
    return all(each == ANY_FOLDERS for each in pattern[used:])


def store_code_owners(repository: Repository, text: str) -> None:
    """Store the file of a build of the default branch; an empty text removes the file."""
    rows = CodeOwners.objects.filter(repository=repository)
    if text or rows.exists():
        values = {"text": text, "sent_at": now()}
        CodeOwners.objects.update_or_create(repository=repository, defaults=values)


def active_members(organization_id: str) -> QuerySet[User]:
    return User.objects.filter(memberships__organization=organization_id, is_active=True)


def ids_behind(organization_id: str, names: Iterable[str]) -> set[str]:
    """Return the ids of the users behind the names."""
    rows = OwnerMember.objects.filter(organization=organization_id, name__in=list(names))
    return set(rows.values_list("user_id", flat=True))


def suggest_member(name: str, members: Iterable[User]) -> User | None:
    """Return the only member whose name or email address is like a login; pure."""
    login = name.removeprefix("@").casefold()
    fitting = [
        each
        for each in members
        if login in {each.email.partition("@")[0].casefold(), "".join(each.name.split()).casefold()}
    ]
    return fitting[0] if len(fitting) == 1 else None


def choose_owners(
    organization_id: str, chosen: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Replace the members behind the names; return the changed email addresses by name.

    ``chosen`` has email addresses. Raises InvalidInputError for an email address without a member.
    """
    members = {each.email.casefold(): each for each in active_members(organization_id)}
    changed: dict[str, list[str]] = {}
    for name, emails in chosen.items():
        unknown = next((each for each in emails if each.casefold() not in members), None)
        if unknown is not None:
            raise InvalidInputError(f"'{unknown}' of {name} is not the email address of a member.")
        users = {members[each.casefold()] for each in emails}
        rows = OwnerMember.objects.filter(organization=organization_id, name=name)
        if set(rows.values_list("user_id", flat=True)) == {each.pk for each in users}:
            continue
        rows.delete()
        OwnerMember.objects.bulk_create(
            OwnerMember(organization_id=organization_id, name=name, user=each) for each in users
        )
        changed[name] = sorted(each.email for each in users)
    return changed
