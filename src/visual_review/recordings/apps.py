from django.apps import AppConfig


class RecordingsConfig(AppConfig):
    name = "visual_review.recordings"
    label = "recordings"
    default_auto_field = "django.db.models.BigAutoField"
