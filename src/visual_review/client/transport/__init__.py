"""Calls of the CI interface: repeated when a line breaks, refused in words that name the way out."""
