"""Puts what an action found wrong beside the fields of the form it came from."""

import re

from django import forms

from visual_review.kernel.errors import ConflictError, ForbiddenError, InvalidInputError


def show_problems(form: forms.Form, error: Exception) -> None:
    """Add the error's problems to the fields they name, and the rest above the form."""
    placed = False
    problems = error.problems if isinstance(error, InvalidInputError) else []
    for place, message in problems:
        # Actions name properties in camelCase; fields of forms are written in snake_case.
        name = re.sub(r"(?<!^)([A-Z])", r"_\1", place.strip("/").split("/")[0]).lower()
        if name in form.fields:
            form.add_error(name, message)
            placed = True
    if not placed:
        form.add_error(None, str(error))


REFUSALS = (ConflictError, ForbiddenError, InvalidInputError)
