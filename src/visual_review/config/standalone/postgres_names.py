"""The names of the embedded PostgreSQL's roles and database."""

# Clusters of earlier versions had only this role; a superuser cannot be renamed by itself.
SUPERUSER = "visual_review"
ROLE = "visual_review_service"
DATABASE = "visual_review"
