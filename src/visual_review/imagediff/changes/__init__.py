"""What changed between two images: kinds of changes in words, and which changes are alike."""
