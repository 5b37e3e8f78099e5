"""Leftovers of stories on a page, and the leftovers tolerated on a page of a run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from visual_review.client.capture.stories import Story
from visual_review.variants import Theme

LEFTOVER: Final = "leftover"
# A leftover of all stories so far, at least so many of so many files, comes from a decorator or the
# framework, so a new page would have it, too.
FEWEST_STORIES: Final = 3
FEWEST_FILES: Final = 2
# A listener or a global of several files belongs to a shared library.
LIBRARY: Final = ("listener ", "global ")
# Storybook's preview and its frameworks leave these behind with their first story.
FRAMEWORKS: Final = (
    *(
        f"listener for {name} on document"
        for name in ("focus", "blur", "scroll", "selectionchange")
    ),
    "global __VUE__",
    'attribute data-v-app="" of the story\'s root',
)
NAMED: Final = 3
# Reasons for a new page that are no fault of the story before.
STYLE_SHEET: Final = "style sheet "
BY_DESIGN: Final = (STYLE_SHEET, "custom element ", "the play function ")


class LeftBehindError(Exception):
    """The page has something of earlier stories, so this story needs a new page."""

    def __init__(self, leftovers: tuple[str, ...]) -> None:
        super().__init__(", ".join(leftovers))
        self.leftovers = leftovers


class _CommonTexts:
    """Leftovers common to all stories, once there are enough stories."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self._shared: set[str] | None = None
        self._stories: set[Story] = set()
        self._files: dict[str, set[str]] = defaultdict(set)

    def add(self, story: Story, texts: set[str]) -> None:
        self._stories.add(story)
        self._shared = texts if self._shared is None else self._shared & texts
        files = {each.import_path for each in self._stories}
        if len(self._stories) >= FEWEST_STORIES and len(files) >= FEWEST_FILES:
            self.texts |= self._shared
        for text in texts:
            self._files[text].add(story.import_path)
            if text.startswith(LIBRARY) and len(self._files[text]) >= FEWEST_FILES:
                self.texts.add(text)


class Leftovers:
    """The leftovers of the stories of a run, shared by all pages of the run."""

    def __init__(self) -> None:
        self._by_story: dict[str, set[str]] = defaultdict(set)
        # A decorator leaves another class or attribute behind for each theme.
        self._left: dict[Theme, _CommonTexts] = defaultdict(_CommonTexts)
        self._first = _CommonTexts()
        # Files loaded by a new page for a story file, or for one story only, in the order of
        # loading.
        self._loaded: dict[str, dict[str, None]] = defaultdict(dict)

        # Attributes not written again by stories, and the ones among them on a new page.
        self._missed: dict[tuple[str, Theme], set[str]] = {}
        self._page: dict[Theme, _CommonTexts] = defaultdict(_CommonTexts)

    def expect_style_sheets(self, sheets: Mapping[str, Iterable[str]]) -> None:
        """``sheets`` are URLs of style sheets loaded by a new page, by the path of a story file."""
        for file, urls in sheets.items():
            self._loaded[file] |= dict.fromkeys(f"{STYLE_SHEET}{url}" for url in urls)

    def describe_for(self, story: Story, theme: Theme) -> dict[str, Any]:
        """Return the facts for the page before showing ``story``."""
        known = self._loaded[story.import_path] | self._loaded[story.id]
        tolerated = self._left[theme].texts.union(
            self._page[theme].texts, FRAMEWORKS, self._first.texts
        )
        return {
            "file": story.import_path,
            "tolerated": sorted(tolerated),
            # Of two style sheets, the later one wins.
            "known": list(known),
        }

    def add_loaded(self, story: Story, by_file: Iterable[str], by_story: Iterable[str]) -> None:
        """Record the files loaded by a new page for its first story."""
        for_file, for_story = dict.fromkeys(by_file), dict.fromkeys(by_story)
        self._loaded[story.import_path] |= for_file
        self._loaded[story.id] |= for_story
        self._first.add(story, {*for_file, *for_story})

    def add_attributes(self, story: Story, theme: Theme, attributes: Iterable[str]) -> None:
        """Record the attributes of a new page with ``story``."""
        if missed := self._missed.pop((story.id, theme), None):
            # A script of the page writes such attributes, once.
            self._page[theme].add(story, missed.intersection(attributes))

    def add_missed(self, story: Story, theme: Theme, attributes: Iterable[str]) -> None:
        """Record the attributes of earlier stories not written again by ``story``."""
        self._missed[story.id, theme] = set(attributes)

    def add(self, story: Story, theme: Theme, leftovers: Iterable[str]) -> None:
        """Record the leftovers of ``story``, if any."""
        found = {text for text in leftovers if not text.startswith(BY_DESIGN)}
        self._by_story[story.id] |= found
        self._left[theme].add(story, found)

    def report(self) -> dict[str, tuple[str, ...]]:
        """Return the leftovers of each story, without the leftovers common to all."""
        commons = (*self._left.values(), *self._page.values())
        common = {text for each in commons for text in each.texts}
        found = {
            story: tuple(sorted(texts - common)) for story, texts in sorted(self._by_story.items())
        }
        return {story: texts for story, texts in found.items() if texts}

    def describe(self) -> tuple[str, ...]:
        """Return a sentence naming the stories that left something behind, if any."""
        found = self.report()
        if not found:
            return ()
        named = [f"{story} ({', '.join(found[story][:NAMED])})" for story in list(found)[:NAMED]]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        what = "1 story left" if len(found) == 1 else f"{len(found)} stories left"
        sentence = (
            f"{what} something behind on the page, so the next one was shown on a new page, which "
            f"takes longer: {', '.join(named)}{more}. Remove in the story what it adds."
        )
        return (sentence,)
