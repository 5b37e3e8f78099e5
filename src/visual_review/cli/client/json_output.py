"""Prints the document of ``--json``."""

import json

import typer

from visual_review.client.ci_commands import escape_json


def print_json(document: object) -> None:
    typer.echo(escape_json(json.dumps(document, indent=2)))
