"""The queue of each job that is enqueued by name.

The jobs themselves declare the same, but importing them takes as long as starting a web process,
which runs none of them.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class JobQueue:
    """Where a job waits; of an organization's jobs there, the highest priority runs first."""

    name: str
    priority: int = 0


BUILDS: Final = JobQueue("builds")
THUMBNAILS: Final = JobQueue("thumbnails")
# People wait for builds before they merge; a video can be watched a little later.
RECORDINGS: Final = JobQueue("recordings", priority=-10)
HOSTS: Final = JobQueue("hosts")
UPKEEP: Final = JobQueue("upkeep")

QUEUES: Final = {
    "ask_pull_request": HOSTS,
    "ask_repository": HOSTS,
    "carry_to_target": BUILDS,
    "compare_build": BUILDS,
    "delete_drawn_pictures": UPKEEP,
    "delete_recording": UPKEEP,
    "delete_unused_images": UPKEEP,
    "handle_delivery": HOSTS,
    "link_repositories": HOSTS,
    "mail_password_change": UPKEEP,
    "mail_password_link": UPKEEP,
    "measure_storage": UPKEEP,
    "process_build": BUILDS,
    "process_recording": RECORDINGS,
    "remove_repository": UPKEEP,
    "render_thumbnails": THUMBNAILS,
    "tell_host": HOSTS,
    "tell_host_later": HOSTS,
    "tell_payments": UPKEEP,
}
