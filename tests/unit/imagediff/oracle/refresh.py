"""Writes the expected counts, masks and digests next to this file: ``make setup``, then

``python -m tests.unit.imagediff.oracle.refresh``. The versions of pixelmatch and pngjs are those of
``tests/pixelmatch/package-lock.json``.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from scripts.setup_steps import SAMPLES

from tests.support.imagediff.images import pairs
from tests.support.imagediff.pixelmatch import Answer, ask_pixelmatch, ask_pngjs
from tests.support.imagediff.png_writer import png
from tests.support.imagediff.shared_data import suite_pairs

HERE = Path(__file__).parent


def made_answers() -> dict[str, list[Answer]]:
    with tempfile.TemporaryDirectory() as name:
        files = []
        for number, images in enumerate(pairs().values()):
            before, after = (Path(name) / f"{number}-{side}.png" for side in (0, 1))
            before.write_bytes(png(images[0]))
            after.write_bytes(png(images[1]))
            files.append((before, after))
        return _by_name(list(pairs()), files)


def shared_answers(name: str) -> dict[str, list[Answer]]:
    before, after = SAMPLES / "pairs" / name / "before", SAMPLES / "pairs" / name / "after"
    both = [
        path.relative_to(before).as_posix()
        for path in sorted(before.rglob("*.png"))
        if (after / path.relative_to(before)).exists()
    ]
    changed = [path for path in both if (before / path).read_bytes() != (after / path).read_bytes()]
    return _by_name(changed, [(before / path, after / path) for path in changed])


def suite_answers() -> dict[str, list[Answer]]:
    files = suite_pairs(SAMPLES / "pngsuite" / "suite")
    return _by_name([f"{one.name} {two.name}" for one, two in files], files)


def _by_name(names: list[str], files: list[tuple[Path, Path]]) -> dict[str, list[Answer]]:
    answers = ask_pixelmatch(files)
    return {name: found for name, found in zip(names, answers, strict=True) if found is not None}


def suite_digests() -> dict[str, str]:
    files = sorted((SAMPLES / "pngsuite" / "suite").glob("*.png"))
    return {path.name: digest for path, digest in zip(files, ask_pngjs(files), strict=True)}


def write(name: str, content: dict[str, Any]) -> None:
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(content[key])}" for key in content)
    (HERE / name).write_text(f"{{\n{lines}\n}}\n")


def main() -> None:
    write("made.json", made_answers())
    write("pngsuite.json", suite_digests())
    write("pngsuite-pairs.json", suite_answers())
    for name in ("gravity-layout", "gravity-menu"):
        write(f"{name}.json", shared_answers(name))


if __name__ == "__main__":
    main()
