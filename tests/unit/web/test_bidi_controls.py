"""What a page shows is replaced, what it sends back or links to is not."""

from visual_review.web.bidi_controls import show_in_html


def test_text_and_visible_attributes_are_replaced() -> None:
    page = '<h1 title="a\u202eb">c\u2066d</h1><img alt="\u200f"><p>value=&quot;\u202e&quot;</p>'
    shown = '<h1 title="a⟨U+202E⟩b">c⟨U+2066⟩d</h1><img alt="⟨U+200F⟩"><p>value=&quot;⟨U+202E⟩&quot;</p>'
    assert show_in_html(page) == shown


def test_what_a_form_sends_and_a_link_names_is_kept() -> None:
    page = (
        '<input type="hidden" name="a\u202eb" value="a\u202eb"><a href="/\u202e">'
        '<textarea name="comment">one\n\u202etwo</textarea>'
    )
    assert show_in_html(page) == page
    assert show_in_html(f"{page}\u202e") == f"{page}⟨U+202E⟩"
