"""The names of the embedded PostgreSQL's roles and database."""

SUPERUSER = "visual_review"
ROLE = "visual_review_service"
DATABASE = "visual_review"
