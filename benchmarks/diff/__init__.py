"""Comparisons by this project and by other programs: pages, processes, measurements and bars."""
