"""All of ``make first-use``, unchanged."""

import pytest
from scripts.first_use.__main__ import clean_folder, use_first_time
from scripts.first_use.report import Report


@pytest.mark.deep
@pytest.mark.timeout(1800)
def test_everything_works_as_printed() -> None:
    report = Report()
    with clean_folder(keep=False) as folder:
        use_first_time(folder, report)
    assert all(step.checks for step in report.steps)
