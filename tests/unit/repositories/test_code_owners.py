"""CODEOWNERS as GitHub and GitLab read the file, whatever its contents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.accounts.models import User
from visual_review.repositories.code_owners import (
    names_in,
    owners_of,
    parse_code_owners,
    suggest_member,
)

# The examples of GitHub's documentation.
GITHUB = """
# This is a comment.
*       @global-owner1 @Global-Owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
with\\ space/ @spaces
!excluded @nobody
src/[ab]/ @nobody
"""
FOUND = (
    ("README.md", "@global-owner1 @global-owner2"),
    ("src/button.js", "@js-owner"),
    ("main.go", "docs@example.com"),
    ("deep/down/notes.txt", "@octo-org/octocats"),
    ("build/logs/a/b", "@octocat"),
    ("deeply/logs/x", "@octocat"),
    ("docs/getting-started.md", "@doctocat"),
    ("docs/build-app/troubleshooting.md", "@doctocat"),
    ("scripts/x", "@doctocat @octocat"),
    ("pkg/apps/x", "@octocat"),
    ("apps/x/y", "@octocat"),
    ("apps/github/x", ""),
    ("with space/x", "@spaces"),
    ("excluded", "@global-owner1 @global-owner2"),
    ("src/a/x", "@global-owner1 @global-owner2"),
)
GITLAB = """
* @default
[Design] @designers
src/*.css
src/button.css @button
^[Docs][2] @writers
*.md
[design]
*.svg @icons
"""


@pytest.mark.parametrize(("path", "owners"), FOUND)
def test_the_last_rule_that_matches_counts(path: str, owners: str) -> None:
    assert " ".join(owners_of(parse_code_owners(GITHUB), path)) == owners


def test_a_star_at_the_end_means_files_and_no_folders() -> None:
    rules = parse_code_owners("docs/* @docs")
    assert owners_of(rules, "docs/a.md") == ("@docs",)
    assert owners_of(rules, "docs/more/a.md") == ()
    assert owners_of(rules, "other/docs/a.md") == ()
    assert owners_of(parse_code_owners("a/**/z @a"), "a/b/c/z") == ("@a",)
    assert owners_of(parse_code_owners("a/**/z @a"), "a/z") == ("@a",)


def test_each_section_has_owners_and_defaults() -> None:
    rules = parse_code_owners(GITLAB)
    assert owners_of(rules, "src/a.css") == ("@default", "@designers")
    assert owners_of(rules, "src/button.css") == ("@default", "@button")
    assert owners_of(rules, "a.svg") == ("@default", "@icons")
    assert owners_of(rules, "a.md") == ("@default", "@writers")
    assert names_in(rules) == ["@button", "@default", "@designers", "@icons", "@writers"]


@given(st.text(), st.text())
def test_any_text_is_read(text: str, path: str) -> None:
    assert set(owners_of(parse_code_owners(text), path)) <= set(names_in(parse_code_owners(text)))


def test_hostile_patterns_end() -> None:
    stars = "*a" * 40 + "b"
    folders = "**/" * 40 + "x/" + "**/y/" * 40
    text = "\n".join(f"{pattern} @a" for pattern in [stars, folders] for _ in range(500))
    rules = parse_code_owners(text)
    assert owners_of(rules, "/".join(["a" * 200] * 30)) == ()


def test_a_member_is_suggested_only_if_no_other_fits() -> None:
    ann, bob = (
        User(name="Ann Lee", email="ann@example.com"),
        User(name="Bob", email="b@example.com"),
    )
    assert suggest_member("@AnnLee", [ann, bob]) is ann
    assert suggest_member("@b", [ann, bob]) is bob
    assert suggest_member("@org/team", [ann, bob]) is None
    other = User(name="Ann", email="annlee@example.com")
    assert suggest_member("@annlee", [ann, other]) is None
