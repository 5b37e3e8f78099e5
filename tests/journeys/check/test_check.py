"""`visual-review check`: the verdict of the server, before anything is sent."""

from tests.support.checked_storybooks import CheckedStorybook, comparable, edit_style


def test_nothing_changed(example: CheckedStorybook) -> None:
    before = len(example.job.builds())
    done = example.check()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Nothing changed: ")
    assert len(example.job.builds()) == before


def test_a_change_is_described_as_by_the_server(example: CheckedStorybook) -> None:
    edit_style(example.built, "button-*.css", ".button{background:#b00020!important}")
    done = example.check()
    assert done.returncode == 1
    checked = example.check_json()
    listed = example.publish("feature")
    assert comparable(checked) == comparable(listed)
