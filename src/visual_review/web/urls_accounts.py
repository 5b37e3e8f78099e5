"""URLs of sign-in, passwords, the user's own account, setup and invitations.

allauth looks for the names that start with ``account_``.
"""

from allauth.account import views as allauth
from django.urls import path, re_path

from visual_review.web.security import secret_page
from visual_review.web.views import (
    access,
    account,
    apps,
    authorize,
    components,
    home,
    invitations,
    organizations,
    setup,
    sign_in,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("sign-in", sign_in.sign_in, name="account_login"),
    path("sign-out", sign_in.sign_out, name="account_logout"),
    path("inactive", allauth.account_inactive, name="account_inactive"),
    path("password/forgotten", sign_in.password_forgotten, name="account_reset_password"),
    path("password/sent", allauth.password_reset_done, name="account_reset_password_done"),
    # User ids contain an underscore, which allauth's own pattern does not allow.
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z_]+)-(?P<key>.+)$",
        secret_page(allauth.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path(
        "password/done",
        allauth.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("setup/<str:secret>", setup.setup, name="setup"),
    path("invitations/<str:secret>", invitations.invitation, name="invitation"),
    path("account", account.account, name="account"),
    path("account/password", sign_in.password_change, name="account_change_password"),
    path("account/access", access.own_access, name="own_access"),
    path("oauth/authorize", authorize.authorize, name="authorize"),
    path("account/apps", apps.apps, name="apps"),
    path("account/apps/connect", apps.connect, name="connect_client"),
    path("account/apps/<str:grant_id>/disconnect", apps.disconnect, name="disconnect_app"),
    path("components", components.components, name="components"),
    path(
        "account/organizations/new",
        organizations.create_organization,
        name="create_organization",
    ),
    path("account/organization", organizations.switch_organization, name="switch_organization"),
]
