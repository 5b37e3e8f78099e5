"""Processes for rendering images, with the service's settings and without a database."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import django


def rendering_processes() -> ProcessPoolExecutor:
    # The work itself imports models, too early without the initializer.
    return ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), django.setup)
