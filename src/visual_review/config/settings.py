"""Django's settings. Everything an operator can set comes from ``config.environment``."""

import os
from urllib.parse import urlsplit

from visual_review.config.cookies import cookie_name, is_https
from visual_review.config.environment import database_settings, read_environment
from visual_review.config.image_origins import image_origins
from visual_review.config.logs import log_settings
from visual_review.config.mail import TIMEOUT_SECONDS, read_mail
from visual_review.config.oauth_toolkit import toolkit_settings
from visual_review.jobs import MODULES

_environment = read_environment()

SECRET_KEY = _environment.secret_key or "unset: only commands that read no secret run like this"
DEBUG = False
PUBLIC_URL = _environment.public_url
STORAGE_URL = _environment.storage_url
_public = urlsplit(PUBLIC_URL)
# The origins pages may load images from.
IMAGE_ORIGINS = image_origins(PUBLIC_URL, STORAGE_URL)
# The host of the public URL; loopback names are for health checks on the same machine.
ALLOWED_HOSTS = [_public.hostname or "localhost", "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "oauth2_provider",
    "procrastinate.contrib.django",
    "visual_review.audit",
    "visual_review.accounts",
    "visual_review.repositories",
    "visual_review.billing",
    "visual_review.builds",
    "visual_review.recordings",
    "visual_review.messages",
    # Before allauth, so that the pages' own templates are found first.
    "visual_review.web",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.mfa",
]

MIDDLEWARE = [
    "visual_review.config.http.machine_calls.record_route",
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "visual_review.web.errors.explain_method_not_allowed",
    # Before the length of the response is known, and after every page is written.
    "visual_review.web.bidi_controls.show_bidi_controls_on_pages",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "visual_review.web.security.content_security_policy",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "visual_review.config.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "visual_review.web.page_context.navigation",
            ]
        },
    }
]

DATABASES = {
    "default": database_settings(_environment.database_url or "postgresql:///visual_review")
}
# Rate limits count across all web processes, so the counters are in the database.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "accounts_cacheentry",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
AUTH_USER_MODEL = "accounts.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
_VALIDATORS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATORS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATORS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATORS}.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
PASSWORD_RESET_TIMEOUT = 24 * 60 * 60
ACCOUNT_ADAPTER = "visual_review.web.allauth_adapter.AccountAdapter"
MFA_ADAPTER = "visual_review.web.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
# A code counts for half a minute longer, since people type slowly and clocks differ.
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not is_https(PUBLIC_URL)
# Every address was proven by the link of an invitation, so allauth has no list of its own.
MFA_ALLOW_UNVERIFIED_EMAIL = True
SOCIALACCOUNT_ADAPTER = "visual_review.web.single_sign_on.SocialAccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
# Only people with an invitation can sign up, and the invitation was sent to their address.
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Visual Review] "
ACCOUNT_SESSION_REMEMBER = True
# In addition to allauth's own limits on registration and passwords. A key is an account and a
# network for sign-ins (see the adapter), and an account for mails; the address is the network's.
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "5/m/key,20/5m/ip",
    "reset_password": "20/m/ip,5/h/key",
    "create_key": "60/h/user",
    "create_organization": "20/d/user",
    "connect_host": "60/h/user",
    "ask_consent": "60/m/user",
    "see_consent": "60/m/user",
    # A company may be behind one IP address, and each sign-in takes three requests.
    "single_sign_on": "600/m/ip",
    "personal_data": "20/h/user",
    "register_client": "20/m/ip,1000/d/ip",
    "ask_token": "300/m/ip",
    "refused_delivery": "60/m/ip",
}
# The toolkit's migrations need this setting.
OAUTH2_PROVIDER_APPLICATION_MODEL = "oauth2_provider.Application"
OAUTH2_PROVIDER = toolkit_settings(PUBLIC_URL)
ACCOUNT_FORMS = {
    "login": "visual_review.web.forms.sign_in.SignInForm",
    "reset_password": "visual_review.web.forms.sign_in.ForgottenPasswordForm",
    "reset_password_from_key": "visual_review.web.forms.sign_in.ResetForm",
    "change_password": "visual_review.web.forms.sign_in.ChangeForm",
}
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
# Connections begin with the time zone: a statement setting the zone would be session state behind a
# pooler.
os.environ["PGTZ"] = TIME_ZONE

STATIC_URL = "/static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "visual_review.web.static_files.VersionedStaticFiles"},
}

SESSION_ENGINE = "visual_review.web.session_store"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = is_https(PUBLIC_URL)
SESSION_COOKIE_NAME = cookie_name("sessionid", PUBLIC_URL)
CSRF_COOKIE_NAME = cookie_name("csrftoken", PUBLIC_URL)
# Not in a cookie of their own, whose name cannot be set.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "visual_review.web.errors.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"

# Bodies of actions and manifests are JSON in memory; images are uploaded separately.
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
# These keys encrypt the credentials of Git providers, the newest first, then the secret key.
ENCRYPTION_KEYS = _environment.encryption_keys
# URLs of Git providers that may be connected.
SOURCE_HOSTS = _environment.source_hosts
# The monthly price of recordings per repository.
RECORDINGS_PRICE = _environment.recordings_price
# The payment provider; None stores charges without sending them.
PAYMENTS = _environment.payments
# Turn off so that programs can call exactly the published actions.
EXTENSIONS = _environment.extensions
# Turn on so that signed-in people can create organizations.
ORGANIZATION_CREATION = _environment.organization_creation
# Of each organization: gigabytes stored, and builds and megapixels a day; 0 is no limit.
QUOTAS = _environment.quotas
# Limits of recordings: sizes in bytes, and file extensions of videos.
RECORDING_MAX_BYTES = _environment.recording_max_bytes
ATTACHMENT_MAX_BYTES = _environment.attachment_max_bytes
RECORDING_TYPES = _environment.recording_types
# The most memory of each process for reading images at the same time.
IMAGE_MEMORY_BYTES = _environment.image_memory_bytes
# The largest image that is accepted and compared.
IMAGE_MAX_PIXELS = _environment.image_max_pixels
IMAGE_MAX_SIDE = _environment.image_max_side
# Where uploaded videos are joined; if empty, the system's folder for temporary files.
WORK_FOLDER = _environment.work_folder
DISK_RESERVE = _environment.disk_reserve
# Ports are 0 where /metrics is not served.
METRICS_HOST = _environment.metrics_host
METRICS_PORT = _environment.metrics_port
WORKER_METRICS_PORT = _environment.worker_metrics_port
# The reverse proxies whose word about the client's address is believed.
TRUSTED_PROXIES = _environment.trusted_proxies
MESSAGE_NETWORKS = _environment.message_networks
# Whom to write about a vulnerability, for security.txt.
SECURITY_CONTACT = _environment.security_contact
# The delay of a rejection's comment: a rejection undone meanwhile never appears.
REJECTION_DELAY_SECONDS = 10
# A build expires when CI has uploaded nothing for this long.
UPLOAD_EXPIRY_SECONDS = 2 * 60 * 60

PROCRASTINATE_AUTODISCOVER_MODULE_NAME = ""
PROCRASTINATE_IMPORT_PATHS = MODULES

_mail = read_mail(_environment.email_url)
# Without mail, pages show one-time links themselves.
EMAIL_CONFIGURED = _mail.configured
EMAIL_BACKEND = _mail.backend
DEFAULT_FROM_EMAIL = SERVER_EMAIL = _mail.sender
EMAIL_HOST, EMAIL_PORT = _mail.host, _mail.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.user, _mail.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.starttls, _mail.tls
EMAIL_TIMEOUT = TIMEOUT_SECONDS

LOGGING = log_settings()
