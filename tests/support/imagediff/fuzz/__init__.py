"""Damaged images through both engines, whose verdicts must be equal.

``python -m tests.support.imagediff.fuzz`` runs for a given time in all processes.
"""
