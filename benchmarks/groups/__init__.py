"""How right groups and kinds are on real screenshots with planted defects."""
