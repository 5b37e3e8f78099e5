from django.apps import AppConfig


class BuildsConfig(AppConfig):
    name = "visual_review.builds"
    label = "builds"
    default_auto_field = "django.db.models.BigAutoField"
