"""``CODEOWNERS``, and the source files of stories by their paths in the git repository."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from visual_review.client.capture import Story
from visual_review.client.git import run_git
from visual_review.client.progress import Reporter

# In the order in which GitHub and GitLab look for the file.
FILES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
# The limits of the server and of GitHub for the file.
FILE_LENGTH: Final = 3_000_000
PATH_LENGTH: Final = 1000


def read_code_owners(root: Path, reporter: Reporter) -> str | None:
    """Return the file, or an empty text without one; None outside of a git repository."""
    top = run_git(root, "rev-parse", "--show-toplevel").strip()
    if not top:
        return None
    found = next((path for name in FILES if (path := Path(top, name)).is_file()), None)
    if found is None:
        return ""
    text = found.read_text(encoding="utf-8", errors="replace").replace("\0", "")
    if len(text) > FILE_LENGTH:
        reporter.note(f"{found} is not sent: it has more than {FILE_LENGTH:,} characters.")
        return None
    return text


def group_by_source(stories: Iterable[Story], root: Path) -> Mapping[str, Sequence[str]]:
    """Return the IDs of stories by the path of their file, from the top of the git repository.

    The index of a Storybook has paths from ``root``, the folder of the Storybook's build.
    """
    prefix = run_git(root, "rev-parse", "--show-prefix").strip()
    found: dict[str, list[str]] = defaultdict(list)
    for story in stories:
        path = posixpath.normpath(posixpath.join(prefix, story.import_path))
        # A file outside of the repository has no owner in the repository.
        if not path.startswith("..") and len(path) <= PATH_LENGTH:
            found[path].append(story.id)
    return found
