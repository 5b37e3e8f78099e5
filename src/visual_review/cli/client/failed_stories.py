"""One line for each failure of a story, however many variants it has."""

from collections import defaultdict
from collections.abc import Iterator

from visual_review.client.capture import Shot


class FailedStories:
    """The stories that failed, with their messages and variants."""

    def __init__(self) -> None:
        self._variants: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, shot: Shot) -> None:
        if shot.error is not None:
            self._variants[shot.story.id, shot.error].append(str(shot.variant))

    def lines(self) -> Iterator[str]:
        """Yield the failures in the order of the stories' IDs."""
        for (story, message), variants in sorted(self._variants.items()):
            yield f"failed: {story} ({', '.join(sorted(variants))}): {message}"
