"""Processes that render images; they know the service's settings and use no database."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import django


def rendering_processes() -> ProcessPoolExecutor:
    # Models are imported by the work itself, which is too early without the initializer.
    return ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), django.setup)
