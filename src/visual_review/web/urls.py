"""The URLs of all pages; each area has its own module."""

from django.urls import URLPattern, URLResolver

from visual_review.web import urls_accounts, urls_organization, urls_repositories, urls_serving

urlpatterns: list[URLPattern | URLResolver] = [
    *urls_accounts.urlpatterns,
    *urls_organization.urlpatterns,
    *urls_repositories.urlpatterns,
    *urls_serving.urlpatterns,
]
