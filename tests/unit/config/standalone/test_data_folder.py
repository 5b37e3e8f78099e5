"""The version file of a data folder."""

import json
from pathlib import Path

from visual_review.config.standalone.data_folder import open_data_folder, write_stamp


def test_opening_a_folder_does_not_claim_it_for_this_version(tmp_path: Path) -> None:
    stamp = tmp_path / "visual-review.json"
    stamp.write_text('{"layout": 2, "program": "0.0.9"}')
    with open_data_folder(tmp_path).lock:
        assert json.loads(stamp.read_text())["program"] == "0.0.9"
        write_stamp(tmp_path)
    assert json.loads(stamp.read_text())["program"] != "0.0.9"
