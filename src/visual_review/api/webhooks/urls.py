"""The URLs for events of other services."""

from django.urls import URLPattern, URLResolver, path

from visual_review.api.webhooks.hosts import receive_delivery
from visual_review.api.webhooks.payments import receive_payment_event

urlpatterns: list[URLPattern | URLResolver] = [
    path("hosts/<str:account_id>", receive_delivery, name="host-deliveries"),
    path("payments", receive_payment_event, name="payment-events"),
]
