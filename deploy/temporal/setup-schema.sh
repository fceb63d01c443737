#!/bin/sh
# Makes Temporal's two databases, or brings them up to the schema of this image's version. Repeating it is harmless.
# Reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

setup() {
  temporal-sql-tool --db "$1" create
  temporal-sql-tool --db "$1" setup-schema -v 0.0
  temporal-sql-tool --db "$1" update-schema --schema-name "postgresql/v12/$2"
}

setup temporal temporal
setup temporal_visibility visibility
