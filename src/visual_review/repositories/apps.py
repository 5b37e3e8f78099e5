from django.apps import AppConfig


class RepositoriesConfig(AppConfig):
    name = "visual_review.repositories"
    label = "repositories"
    default_auto_field = "django.db.models.BigAutoField"
