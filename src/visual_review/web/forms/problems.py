"""Shows the errors of an action next to the form fields that caused them."""

import re

from django import forms

from visual_review.kernel.errors import ConflictError, ForbiddenError, InvalidInputError


def add_form_errors(form: forms.Form, error: Exception) -> None:
    """Add the error's problems to the named fields; show other errors above the form."""
    has_field_errors = False
    problems = error.problems if isinstance(error, InvalidInputError) else []
    for pointer, message in problems:
        # Actions have camelCase property names, forms snake_case field names.
        name = re.sub(r"(?<!^)([A-Z])", r"_\1", pointer.strip("/").split("/")[0]).lower()
        if name in form.fields:
            form.add_error(name, message)
            has_field_errors = True
    if not has_field_errors:
        form.add_error(None, str(error))


FORM_ERRORS = (ConflictError, ForbiddenError, InvalidInputError)
