# syntax=docker/dockerfile:1

# The Temporal SDK's native part needs glibc and, for TLS, the system's root certificates: hence Debian, not Alpine,
# and the package that the slim image leaves out.
FROM node:24-trixie-slim AS base
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production

# `npm install`, not `npm ci`: the lock file names the optional binaries of one platform only, and `npm ci` refuses to
# add another one's; the versions are the lock file's either way. No install scripts: the one that matters would bring
# a second Node 24. Of the Temporal SDK's native part, which comes for five platforms (30 MB each), one stays.
# deploy/package.json names what is optional in the package, and needed by a worker. emulator/package.json stays out:
# without it npm leaves out what the emulator needs, which is large, and partly GPL.
FROM base AS dependencies
COPY package.json package-lock.json ./
COPY deploy/package.json deploy/
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM base AS emulator-dependencies
COPY package.json package-lock.json ./
COPY deploy/package.json deploy/
COPY emulator/package.json emulator/
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund

FROM base AS program
# Docker gives a new volume the owner that its folder has in the image.
RUN install --directory --owner=node --group=node /data/outputs /data/emulator
COPY package.json LICENSE ./
COPY deploy/healthcheck.ts deploy/
COPY src src
USER node
# A container's own loopback is reached by nobody else.
ENV DARKROOM_WEBHOOK_HOST=0.0.0.0 \
  DARKROOM_METRICS_HOST=0.0.0.0 \
  DARKROOM_OUTPUTS=/data/outputs
EXPOSE 8787
# Node itself, not npm: signals arrive, and SIGTERM lets a submit in flight get its answer.
CMD ["node", "src/worker.ts"]
# /readyz: the receiver's, or that of DARKROOM_METRICS_PORT. A worker with neither turns this off.
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --start-interval=2s CMD ["node", "deploy/healthcheck.ts"]

# The emulator: docker build --target emulator. It can run the other programs as well.
FROM program AS emulator
COPY emulator emulator
COPY --from=emulator-dependencies /app/node_modules node_modules
ENV EMULATOR_HOST=0.0.0.0 \
  EMULATOR_DB=/data/emulator/emulator.db
EXPOSE 4010
CMD ["node", "emulator/src/main.ts"]
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --start-interval=2s CMD ["node", "deploy/healthcheck.ts", "http://127.0.0.1:4010/"]

# Worker, receiver and starter: node src/worker.ts [--no-receiver | --receiver-only], node src/starter.ts …
FROM program AS darkroom
COPY --from=dependencies /app/node_modules node_modules
