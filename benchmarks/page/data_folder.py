"""The data folder of the measured service: filled once, and copied for each run."""

import os
import subprocess
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from json import dumps, loads
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from scripts.demo_folder import demo_base
from scripts.setup_steps import content_hash, say
from tests.support.servers.template import FAST, copy_data_folder

from benchmarks.diff.pages import BASE, CAPTURES, ensure_captures
from visual_review.config.boot import load
from visual_review.config.environment import DATABASE_URL, SECRET_KEY, STORAGE_URL
from visual_review.config.standalone.data_folder import (
    database_password,
    open_data_folder,
    secret_key,
    storage_url,
)
from visual_review.config.standalone.postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from benchmarks.page.seeding import SeededBuilds

FACTS = "seeded.json"
SOURCES = ("images.py", "seeding.py", "change_thumbnails.py")


def copy_filled_folder(target: Path, sizes: list[int]) -> list[dict[str, Any]]:
    """Create a data folder with builds of the given sizes; return the facts of each.

    Filling takes a quarter of an hour, so the result is kept until its sources change.
    """
    kept = _ensure_filled(sizes)
    data = target / "data"
    # Images are never overwritten, so links to the files are enough.
    blobs = data / "blobs"
    rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    for path in (kept / "data").iterdir():
        link = ["--link"] if path.name == blobs.name else []
        subprocess.run(["cp", "-a", *link, str(path), str(data)], check=True)
    facts: list[dict[str, Any]] = loads((kept / FACTS).read_text())
    return facts


def _ensure_filled(sizes: list[int]) -> Path:
    folder = Path(__file__).parent
    version = content_hash([folder / name for name in SOURCES], repr(sizes))
    base = demo_base()
    name = f"page-{'-'.join(map(str, sizes))}"
    kept = base / f"{name}-{version[:16]}"
    if (kept / FACTS).exists():
        return kept
    base.mkdir(exist_ok=True)
    # Folders of earlier sources, and of an interrupted run.
    for old in base.glob(f"{name}-????????????????"):
        rmtree(old)
    say(f"making builds of {' and '.join(f'{size:,}' for size in sizes)} screenshots")
    ensure_captures()
    kept.mkdir(mode=0o755)
    # In a process of its own, because this process will use the measured service's database.
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(fill_folder, kept, sizes).result()
    return kept


def fill_folder(kept: Path, sizes: list[int]) -> None:
    data = copy_data_folder(kept / "data")
    opened = open_data_folder(data)
    server = EmbeddedPostgres(opened.postgres, database_password(data), FAST)
    try:
        server.start()
        os.environ[DATABASE_URL] = server.url
        os.environ[STORAGE_URL] = storage_url(data)
        os.environ[SECRET_KEY] = secret_key(data)
        (data / "blobs").mkdir(exist_ok=True)
        seeded: list[SeededBuilds] = load("benchmarks.page.seeding.fill")(
            data / "blobs", CAPTURES / BASE, sizes
        )
    finally:
        server.stop()
        opened.lock.close()
    (kept / FACTS).write_text(dumps([asdict(each) for each in seeded]))
