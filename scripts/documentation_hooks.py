"""Additions to MkDocs, for mkdocs.yml: the version, and a strict Content-Security-Policy."""

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parent.parent
SCRIPTS: Final = "assets/inline"
INLINE: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)
LOGO: Final = ROOT / "src/visual_review/web/static/web/logo.svg"
# A link out of docs, with its text.
OUTSIDE: Final = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(?:#[^)]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show the version; in a site of several versions, built by `mike`, readers choose."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if "mike" in config.plugins:
        config.extra["version"] = {"provider": "mike"}
    else:
        config.site_name += f" {project['version']}"
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Use the logo of the pages."""
    files.append(File.generated(config, "images/logo.svg", abs_src_path=str(LOGO)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Name files of the repository outside the site by their path."""

    def name_file(link: re.Match[str]) -> str:
        text, target = link.group(1), Path(page.file.abs_src_path or "").parent / link.group(2)
        path = target.resolve()
        if path.is_relative_to(config.docs_dir) or not path.exists():
            return link.group()
        name = f"`{path.relative_to(ROOT)}`"
        return name if text.strip("`") in name else f"{text} ({name})"

    return OUTSIDE.sub(name_file, markdown)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Move scripts from the page into files."""

    def move(script: re.Match[str]) -> str:
        name = f"{SCRIPTS}/{hashlib.sha256(script.group(1).encode()).hexdigest()[:12]}.js"
        path = Path(config.site_dir, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script.group(1), encoding="utf-8")
        return f'<script src="{"../" * page.url.count("/")}{name}"></script>'

    return INLINE.sub(move, output)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Leave out files useless to readers: source maps, and a page for errors of another server."""
    for path in [*Path(config.site_dir).rglob("*.map"), Path(config.site_dir, "404.html")]:
        path.unlink()
