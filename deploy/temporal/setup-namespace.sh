#!/bin/sh
# Makes the namespace, or gives it the retention that is asked for. Repeating it is harmless.
# Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and NAMESPACE_RETENTION.
set -eu

exists() { temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; }
make() { temporal operator namespace "$1" --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"; }

# A server that has only just started may refuse for a moment.
tries=0
until if exists; then make update; else make create; fi; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 1
done
