"""``visual-review web``: one web process for a given database and storage."""

from visual_review.cli.server.messages import as_message
from visual_review.cli.server.options import Host, Port
from visual_review.config.boot import load
from visual_review.config.environment import DATABASE_URL, SECRET_KEY, STORAGE_URL
from visual_review.config.http.listener import open_listener
from visual_review.config.standalone import privileges
from visual_review.config.startup import check_variables


def web(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Serve the pages and APIs; start as many of these processes as you need."""
    with as_message():
        check_variables([DATABASE_URL, STORAGE_URL, SECRET_KEY])
        listener = open_listener(host, port)
        privileges.give_up_root()
        privileges.harden()
        load("visual_review.config.schema_version.check_all")()
        load("visual_review.config.http.serve.serve")(listener)
