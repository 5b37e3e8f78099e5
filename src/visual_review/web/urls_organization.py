"""Keys, members and the audit log of an organization."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
