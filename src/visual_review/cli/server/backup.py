"""``visual-review backup`` and ``restore``: everything, in one file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Never

import typer

from visual_review.cli.server.messages import as_message
from visual_review.config.boot import load
from visual_review.config.commands.backup_archive import SHOWN_LOST, verify_archive
from visual_review.config.commands.backup_target import writable_target
from visual_review.config.commands.installation import use_installation

File = Annotated[Path, typer.Argument(help="File of the backup, such as visual-review.tar.")]
Data = Annotated[
    Path | None,
    typer.Option(
        envvar="VISUAL_REVIEW_DATA",
        help="The data folder of 'visual-review up'. Without it, VISUAL_REVIEW_DATABASE_URL and "
        "VISUAL_REVIEW_STORAGE_URL are used.",
    ),
]
DATABASE_ONLY = (
    "It is a backup without images, from before an upgrade: use the images and the secret key of "
    "the upgraded service. In a data folder these are 'blobs' and 'secret-key'."
)


CHECK_HELP = "Only read a backup and verify that all of it is there and undamaged."
Check = Annotated[bool, typer.Option("--check", help=CHECK_HELP)]
IMAGES_LOST = 1


def backup(file: File, *, data: Data = None, check: Check = False) -> None:
    """Back up the database, images and recordings to one file, even while the service runs.

    Exits with 1 if the storage lacks images that the database refers to; the file has everything
    else.
    """
    if check:
        _check(file)
        return
    with (
        as_message(),
        writable_target(file, data) as target,
        use_installation(data, new=False),
    ):
        counts = load("visual_review.config.commands.backup.write_backup")(target, _report)
    typer.echo(f"Wrote {file}: the database and {counts.blobs:,} files.")
    if counts.lost:
        _end_with_lost(len(counts.lost), counts.lost[:SHOWN_LOST])


def _check(file: Path) -> None:
    with as_message():
        manifest = verify_archive(file)
    lost = manifest.get("lost", 0)
    state = "undamaged" if lost else "complete and undamaged"
    what = "the database and all files" if manifest["blobs"] else "the database, without images"
    if lost:
        what = "the database and the files that the storage had"
    typer.echo(
        f"{file} is {state}: {what}, written by Visual Review "
        f"{manifest['program']} at {manifest['created']}."
    )
    if lost:
        _end_with_lost(lost, manifest["such_as"])


def _end_with_lost(number: int, such_as: Sequence[str]) -> Never:
    images = "1 image" if number == 1 else f"{number:,} images"
    _report(f"Not in the storage: {images} of the database, such as:")
    for key in such_as:
        _report(f"  {key}")
    raise typer.Exit(IMAGES_LOST)


def restore(file: File, data: Data = None) -> None:
    """Restore a backup into a new data folder, or into an empty database and storage."""
    with as_message():
        # The whole file is verified first, so that a damaged file leaves nothing behind.
        manifest = verify_archive(file)
        with use_installation(data, new=True):
            restore_from = load("visual_review.config.commands.restore.restore_backup")
            counts = restore_from(file, manifest, _report)
    if manifest["blobs"]:
        typer.echo(f"Restored the database and {counts.blobs:,} files from {file}.")
    else:
        typer.echo(f"Restored the database from {file}. {DATABASE_ONLY}")


def _report(progress: str) -> None:
    typer.echo(progress, err=True)
