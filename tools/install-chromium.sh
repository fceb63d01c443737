#!/bin/sh
# Debian's Chromium without windows, for test/emulator/dashboard. Without one these are skipped, so this never fails.
set -u

for browser in "${CHROMIUM_PATH:-}" /usr/bin/chromium-headless-shell /usr/bin/chromium; do
  if [ -x "$browser" ]; then
    exit 0
  fi
done
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo 'No Chromium, and it cannot be installed here (that takes root and apt-get): the dashboard is not tested.' >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -q && apt-get install -qy --no-install-recommends chromium-headless-shell; } >/dev/null; then
  echo 'Chromium could not be installed: the dashboard is not tested.' >&2
fi
