"""Compares a Storybook or a folder of images with the approved baseline; sends nothing."""
