"""Django's database backend for PostgreSQL, with prepared statements and fewer health checks."""
