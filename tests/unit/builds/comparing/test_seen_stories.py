from visual_review.builds.comparing.seen_stories import near_spellings

STORIES = ["button--primary", "button--secondary", "card--wide"]


def test_ids_with_another_case_or_a_wrong_letter_are_near() -> None:
    assert near_spellings("Button--Primary", STORIES) == ["button--primary"]
    assert near_spellings("buton--primary", STORIES) == ["button--primary"]


def test_another_story_of_the_component_is_not_near() -> None:
    assert near_spellings("card--narrow", STORIES) == []


def test_no_more_than_three_are_named() -> None:
    assert len(near_spellings("story-0", [f"story-{number}" for number in range(1, 9)])) == 3
