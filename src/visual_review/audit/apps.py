from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "visual_review.audit"
    label = "audit"
    default_auto_field = "django.db.models.BigAutoField"
