"""Template tags that let a browser request early what a page needs."""

from functools import cache

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from visual_review.web.module_graph import modules_needed_by
from visual_review.web.static_files import static_files

register = template.Library()


@register.simple_tag
def module_preloads(entry: str) -> SafeString:
    """Return a hint for the module ``entry`` and each one that it imports.

    Without them a browser learns of each only after it has read the one that imports it.
    """
    return format_html_join(
        "\n", '<link rel="modulepreload" href="{}">', ((static(name),) for name in _modules(entry))
    )


@cache
def _modules(entry: str) -> list[str]:
    files = static_files().files
    sources = {name: file.content.decode() for name, file in files.items() if name.endswith(".js")}
    return modules_needed_by(entry, sources) if entry in sources else []
