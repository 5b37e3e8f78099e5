"""``visual-review charges``: the charges of a month, as CSV."""

import csv
import sys
from typing import Annotated

import typer

from visual_review.cli.server.databases import Data, database
from visual_review.cli.server.messages import as_message
from visual_review.config.boot import load


def charges(
    *,
    month: Annotated[
        str, typer.Option(help="The month, such as 2026-11. Default: last month.")
    ] = "",
    data: Data = None,
) -> None:
    """Print the charges of a month as CSV, prorated by UTC day."""
    with as_message(), database(data):
        rows = load("visual_review.config.commands.charges.list_charge_rows")(month)
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
