"""``visual-review login``: signs in with the browser, for commands on this machine."""

import os
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.capture_choices import load_configuration
from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.uploading import report_errors
from visual_review.client.transport.errors import InputError
from visual_review.client.transport.sign_in import open_token_file, sign_in

NoBrowser = Annotated[
    bool,
    typer.Option(
        "--no-browser", help="Only print the URL of the page, for a browser on this machine."
    ),
]


def login(*, url: options.Url = "", no_browser: NoBrowser = False) -> None:
    """Sign in with the browser, for `visual-review check`.

    The tokens can read and change nothing; they are in a file that only you can read.
    """
    with report_errors("login", as_json=False):
        server = (
            url.strip() or load_configuration(Path.cwd() / "storybook-static", None).check.server
        )
        if not server:
            raise InputError(
                f"The server's URL is missing: set {options.URL_VARIABLE} or pass --url."
            )
        console, file = make_console(), open_token_file(os.environ)

        def open_page(page: str) -> None:
            print_line(console, f"Confirm the sign-in on this page: {page}")
            if not no_browser:
                webbrowser.open(page)

        sign_in(server, file, open_page)
        print_line(console, f"Signed in to {server}. The tokens are in {file.path}.")
