"""The state shared by the steps of one first use."""

from dataclasses import dataclass, field
from pathlib import Path

from scripts.first_use.machine import Machine
from scripts.first_use.pages import Visitor
from scripts.first_use.project import Project
from scripts.first_use.report import Report


@dataclass
class Session:
    """A new user with a browser, a machine and a project, and the texts copied from the pages."""

    folder: Path
    machine: Machine
    project: Project
    visitor: Visitor
    report: Report
    token: str = ""
    install: str = ""
    publish: str = ""
    publish_without_token: str = ""
    # Copied from the other tabs, by the name on the button.
    copied: dict[str, str] = field(default_factory=dict)
