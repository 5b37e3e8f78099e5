"""The shared part of ``bench-capture`` and ``capture-identity``."""
