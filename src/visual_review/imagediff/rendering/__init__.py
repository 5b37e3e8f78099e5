"""Render composites, sheets of pairs and thumbnails of compared images."""
