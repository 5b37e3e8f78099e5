"""Every bidirectional control is shown by its code point, and nothing else changes."""

import unicodedata

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.client.terminal import BIDI_CONTROLS, printable

# Marks, embeddings, overrides and isolates (Unicode Standard Annex 9).
CLASSES = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
MARKS = {"\u200e", "\u200f", "\u061c"}


def test_exactly_the_controls_are_shown() -> None:
    every = {chr(code) for code in range(0x11_0000)}
    controls = {char for char in every if unicodedata.bidirectional(char) in CLASSES} | MARKS
    changed = {char for char in every if show_bidi_controls(char) != char}
    assert changed == controls == BIDI_CONTROLS


def test_they_are_shown_by_code_point_on_pages_and_terminals() -> None:
    text = "user\u202e\u2066// admin\u2069"
    shown = "user⟨U+202E⟩⟨U+2066⟩// admin⟨U+2069⟩"
    assert show_bidi_controls(text) == printable(text) == shown
    for untouched in ("", "שלום", "العربية", "a\u200db"):
        assert show_bidi_controls(untouched) == untouched
