"""A capture plan of a server, and images to publish for the plan."""

import io

from PIL import Image

from visual_review.client.publishing.responses import Plan
from visual_review.variants import DEVICES

PLAN = Plan(
    viewports=DEVICES,
    themes=("light", "dark"),
    devices=("phone", "tablet", "desktop"),
    detection_armed=True,
    baseline_rule="own_branch",
    baseline_id="baseline_1",
    baseline_branch="main",
    baseline_version=1,
    stories={"button--primary": "", "card--plain": ""},
)


def png(width: int = 4, height: int = 3, shade: int = 0) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), (shade, shade, shade)).save(file, "PNG")
    return file.getvalue()
