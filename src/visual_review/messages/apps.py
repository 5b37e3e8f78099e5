from django.apps import AppConfig


class MessagesConfig(AppConfig):
    name = "visual_review.messages"
    # Django's own messages have the plain name.
    label = "outgoing"
