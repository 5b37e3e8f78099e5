"""Render composites, contact sheets, pair sheets and thumbnails of compared images."""
