"""Writes the expected counts and digests next to this file, made by pixelmatch 7.2 and pngjs 7.

Run in an empty folder: ``npm install pixelmatch@7.2.0 pngjs@7.0.0``, then from the checkout
``python -m tests.unit.imagediff.oracle.refresh THAT_FOLDER``.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.imagediff.images import pairs
from tests.support.imagediff.png_writer import png
from tests.support.imagediff.shared_data import FOLDER

HERE = Path(__file__).parent
THRESHOLDS = (0.0, 0.1, 0.3)


def ask(node_folder: Path, questions: list[dict[str, Any]]) -> list[Any]:
    script = shutil.copy(HERE / "oracle.mjs", node_folder)
    text = "\n".join(json.dumps(question) for question in questions)
    run = subprocess.run(["node", script], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def count_questions(before: Path, after: Path) -> list[dict[str, Any]]:
    return [
        {"before": str(before), "after": str(after), "threshold": threshold, "includeAA": include}
        for threshold in THRESHOLDS
        for include in (False, True)
    ]


def made_counts(node_folder: Path) -> dict[str, list[int]]:
    with tempfile.TemporaryDirectory() as name:
        questions = []
        for number, images in enumerate(pairs().values()):
            paths = [Path(name) / f"{number}-{side}.png" for side in (0, 1)]
            for path, pixels in zip(paths, images, strict=True):
                path.write_bytes(png(pixels))
            questions += count_questions(*paths)
        return _grouped(list(pairs()), ask(node_folder, questions))


def shared_counts(node_folder: Path, name: str) -> dict[str, list[int]]:
    before, after = FOLDER / "pairs" / name / "before", FOLDER / "pairs" / name / "after"
    both = [
        path.relative_to(before).as_posix()
        for path in sorted(before.rglob("*.png"))
        if (after / path.relative_to(before)).exists()
    ]
    changed = [path for path in both if (before / path).read_bytes() != (after / path).read_bytes()]
    questions = [
        question for path in changed for question in count_questions(before / path, after / path)
    ]
    return _grouped(changed, ask(node_folder, questions))


def _grouped(names: list[str], answers: list[Any]) -> dict[str, list[int]]:
    size = 2 * len(THRESHOLDS)
    groups = [answers[at : at + size] for at in range(0, len(answers), size)]
    return {name: group for name, group in zip(names, groups, strict=True) if group[0] is not None}


def suite_digests(node_folder: Path) -> dict[str, str]:
    files = sorted((FOLDER / "pngsuite" / "suite").glob("*.png"))
    answers = ask(node_folder, [{"path": str(path)} for path in files])
    return {path.name: answer for path, answer in zip(files, answers, strict=True)}


def write(name: str, content: dict[str, Any]) -> None:
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(content[key])}" for key in content)
    (HERE / name).write_text(f"{{\n{lines}\n}}\n")


def main() -> None:
    node_folder = Path(sys.argv[1])
    write("made.json", made_counts(node_folder))
    write("pngsuite.json", suite_digests(node_folder))
    for name in ("gravity-layout", "gravity-menu"):
        write(f"{name}.json", shared_counts(node_folder, name))


if __name__ == "__main__":
    main()
