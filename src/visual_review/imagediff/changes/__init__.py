"""The changes between two images: kinds of changes in words, and groups of similar changes."""
