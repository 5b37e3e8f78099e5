"""The template tag for a page's script of many modules."""

from functools import cache

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from visual_review.web.module_bundle import bundle_name, modules_needed_by
from visual_review.web.static_files import static_files

register = template.Library()


@register.simple_tag
def module_script(entry: str) -> SafeString:
    """Return the script ``entry`` with all its imports in one file.

    Without such a file, return the script with a hint for each imported module: without hints a
    browser learns of a module only after reading the importing one.
    """
    bundle = bundle_name(entry)
    name = bundle if bundle in static_files().files else entry
    hints = [] if name == bundle else _modules(entry)
    links = format_html_join(
        "\n", '<link rel="modulepreload" href="{}">', ((static(each),) for each in hints)
    )
    return format_html('{}<script type="module" src="{}"></script>', links, static(name))


@cache
def _modules(entry: str) -> list[str]:
    files = static_files().files
    sources = {name: file.content.decode() for name, file in files.items() if name.endswith(".js")}
    return modules_needed_by(entry, sources) if entry in sources else []
