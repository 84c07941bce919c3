# One image for every service of the cluster: docker run IMAGE disnplbm worker, master, migrate, submit ...
ARG PYTHON_IMAGE=python:3.13-slim-trixie

# The pages of the dashboard and of reports. Node comes as a Python package, so that one base image does for everything.
FROM ${PYTHON_IMAGE} AS pages
COPY requirements-pages.lock ./
RUN python3 -m pip install --no-cache-dir --disable-pip-version-check --root-user-action ignore \
        --require-hashes --requirement requirements-pages.lock
WORKDIR /build/dashboard/web
COPY dashboard/web/package.json dashboard/web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY dashboard/web ./
RUN npm run build

FROM ${PYTHON_IMAGE} AS build
WORKDIR /build
RUN python3 -m venv --without-pip /opt/venv
COPY requirements-cluster.lock ./
RUN python3 -m pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-compile \
        --require-hashes --requirement requirements-cluster.lock \
    && find /opt/venv -type d -name tests -prune -exec rm -rf {} +
# Kernels of both samplers for cells of up to three numbers, and of all other types of cells, with and without missing
# ones; others are compiled when they are first needed. Before the services are copied, so that a change there compiles nothing anew; the package must
# lie where it will be installed, since Numba keeps what it compiled under that path.
ENV NUMBA_CACHE_DIR=/opt/kernels
COPY shared shared
RUN cp -r shared/disnplbm /opt/venv/lib/python3.*/site-packages/ \
    && /opt/venv/bin/python -m disnplbm.engine.warmup
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY services services
COPY dashboard dashboard
COPY --from=pages /build/dashboard/disnplbm_dashboard/pages dashboard/disnplbm_dashboard/pages
COPY --from=pages /build/shared/disnplbm/report/pages shared/disnplbm/report/pages
RUN python3 -m pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-compile \
        --no-deps --no-build-isolation . \
    && /opt/venv/bin/python -m compileall -q /opt/venv/lib

FROM ${PYTHON_IMAGE}
RUN groupadd --system --gid 10001 disnplbm \
    && useradd --system --uid 10001 --gid disnplbm --home-dir /tmp --no-create-home --shell /usr/sbin/nologin disnplbm \
    && install --directory --owner disnplbm --group disnplbm /var/cache/disnplbm
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/kernels /opt/kernels
ENV PATH=/opt/venv/bin:$PATH HOME=/tmp PYTHONUNBUFFERED=1 NUMBA_CACHE_DIR=/tmp/kernels \
    DISNPLBM_CACHE_FOLDER=/var/cache/disnplbm DISNPLBM_LOG_FORMAT=json
USER 10001:10001
WORKDIR /tmp
# Numba uses a cache only where it can write: each container has its own copy, in memory if /tmp is.
ENTRYPOINT ["sh", "-c", "cp -r /opt/kernels /tmp/ && exec \"$@\"", "--"]
CMD ["disnplbm", "--help"]
