"""How captures of a product switch the theme: evidence for its capability of dark mode."""

from dataclasses import asdict, dataclass
from typing import Literal

from django.db import transaction

from visual_review.repositories.models import Product

ThemeKind = Literal["global", "dark-mode-addon", "class", "attribute", "media"]


@dataclass(frozen=True)
class ThemeEvidence:
    """What a capture has found: the way, and what changes with it.

    Stories were sampled before the capture; pairs are the light and dark images that it took.
    ``configured``: the project has named the way.
    """

    kind: ThemeKind
    name: str = ""
    light: str = ""
    dark: str = ""
    target: str = ""
    configured: bool = False
    changed_stories: int = 0
    sampled_stories: int = 0
    different_pairs: int = 0
    compared_pairs: int = 0

    def describe(self) -> str:
        """Return a sentence for the settings of the product."""
        configured = ", as configured" if self.configured else ""
        if not self.changed_stories and not self.different_pairs:
            return self._describe_nothing()
        return f"The dark theme is switched by {self._way()}{configured}{self._proof()}."

    def _describe_nothing(self) -> str:
        if self.kind == "media":
            return (
                "The last capture found no way to switch the theme, and light and dark are equal."
            )
        return f"The theme is switched by {self._way()}, but light and dark are equal."

    def _way(self) -> str:
        match self.kind:
            case "global":
                return f"the Storybook global {self.name} ({self.dark})"
            case "attribute":
                return f"the attribute {self.name} ({self.dark}) of {self.target}"
            case "class":
                return f"the class {self.dark} of {self.target}"
            case "dark-mode-addon":
                return "the add-on storybook-dark-mode"
            case "media":
                return "the browser's preference (prefers-color-scheme)"

    def _proof(self) -> str:
        proofs = []
        if self.sampled_stories:
            stories = "story" if self.sampled_stories == 1 else "stories"
            proofs.append(
                f"{self.changed_stories} of {self.sampled_stories} sampled {stories} changed"
            )
        if self.compared_pairs:
            proofs.append(f"{self.different_pairs} of {self.compared_pairs} dark images differ")
        return f": {', '.join(proofs)}" if proofs else ""


def theme_evidence_of(product: Product) -> ThemeEvidence | None:
    stored = product.theme_evidence
    return None if stored is None else ThemeEvidence(**stored)


def store_theme_evidence(product_id: str, evidence: ThemeEvidence, *, replaces: bool) -> None:
    """Store the evidence; that of a pull request, which may never be merged, replaces none."""
    stored = asdict(evidence)
    with transaction.atomic():
        product = Product.objects.select_for_update(no_key=True).get(pk=product_id)
        if product.theme_evidence == stored or (product.theme_evidence and not replaces):
            return
        product.theme_evidence = stored
        product.save(update_fields=["theme_evidence"])
