#!/bin/sh
# Debian's Chromium, for test/emulator/dashboard*.test.ts. Without it that test is skipped, so this never fails.
set -u

if [ -x "${CHROMIUM_PATH:-/usr/bin/chromium}" ]; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo 'No Chromium, and it cannot be installed here (that takes root and apt-get): the dashboard is not tested.' >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -q && apt-get install -qy --no-install-recommends chromium; } >/dev/null; then
  echo 'Chromium could not be installed: the dashboard is not tested.' >&2
fi
