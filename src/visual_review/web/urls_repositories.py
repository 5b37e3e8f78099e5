"""Repositories and their builds."""

from django.urls import path

from visual_review.web.views import repositories

urlpatterns = [path("repositories", repositories.repositories, name="repositories")]
