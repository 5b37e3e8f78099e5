"""Divides the stories among the pages of a run, and again whenever a page has nothing left."""

from collections import Counter, deque
from collections.abc import Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Variant
from visual_review.variants import Theme

# Fewer images are not worth another browser, which takes about a second of a core.
FEWEST_IMAGES: Final = 24
# Fewer are not worth loading the preview in their variant on another page.
FEWEST_TO_LOAD: Final = 4
# A tag of Storybook's indexer for stories with a play function.
PLAYS: Final = "play-fn"


class Item(NamedTuple):
    """One image to capture."""

    story: Story
    variant: Variant


class Schedule:
    """The stories left for each page: every story in every variant is taken exactly once.

    A page has whole variants, because each variant needs a load. If there are more pages than
    variants, pages with the same variant share the stories. A finished page takes half of the
    stories left in the slowest page's last variant.
    """

    def __init__(
        self, stories: Sequence[Story], variants: Sequence[Variant], most_pages: int
    ) -> None:
        """``most_pages`` is at least 1; a small number of images gets fewer pages."""
        worth = -(-len(stories) * len(variants) // FEWEST_IMAGES)
        self.pages = min(most_pages, worth, len(stories))
        self._queues = [
            deque(
                Item(story, variant)
                for variant in variants[page % len(variants) :: self.pages]
                for story in self._select(stories, page, len(variants))
            )
            for page in range(self.pages)
        ]

    def _select(self, stories: Sequence[Story], page: int, variants: int) -> list[Story]:
        """Return the stories of ``page`` in each of its variants."""
        sharing = range(page % variants, self.pages, variants)
        place = sharing.index(page)
        start, end = (len(stories) * each // len(sharing) for each in (place, place + 1))
        # Pages with the same stories begin apart, so that the findings of one page help the others.
        turn = (end - start) * page // self.pages if len(sharing) == 1 else 0
        part = [*stories[start + turn : end], *stories[start : start + turn]]
        return order_plays(part)

    def first_variant(self, page: int) -> Variant:
        """Return the first variant of ``page``, before anything was taken."""
        return self._queues[page][0].variant

    def take(self, page: int, loaded: Variant | None) -> Item | None:
        """Return the next item of ``page`` with the variant ``loaded``; None at the end."""
        queue = self._queues[page]
        if not queue:
            queue.extend(self._split_longest(loaded))
        return queue.popleft() if queue else None

    def take_early(self, page: int, theme: Theme) -> Item | None:
        """Return the next item of the page's own part if its variant has this theme."""
        queue = self._queues[page]
        return queue.popleft() if queue and queue[0].variant.theme == theme else None

    def put_back(self, page: int, items: Sequence[Item]) -> None:
        """Let ``page`` capture ``items``, the latest items of the page, once more."""
        self._queues[page].extendleft(reversed(items))

    def _split_longest(self, loaded: Variant | None) -> list[Item]:
        """Remove half of the longest queue, of one variant only."""
        longest = max(self._queues, key=len)
        if not longest:
            return []
        variant = longest[-1].variant
        if variant != loaded and len(longest) < FEWEST_TO_LOAD:
            return []
        last = sum(1 for _ in takewhile(lambda item: item.variant == variant, reversed(longest)))
        taken = [longest.pop() for _ in range(min(last, -(-len(longest) // 2)))]
        return taken[::-1]


def order_plays(stories: Sequence[Story]) -> list[Story]:
    """Return ``stories`` with those that play last, the first play of each file before the second.

    A play function may change the modules of its file, so each later story of the file needs a new
    page. In this order the fewest stories do, and one new page is enough for many files.
    """
    played: Counter[str] = Counter()
    ranks = {}
    for story in stories:
        if PLAYS in story.tags:
            played[story.import_path] += 1
            ranks[story] = played[story.import_path]
    return sorted(stories, key=lambda story: ranks.get(story, 0))
