#!/bin/bash
# Once, when PostgreSQL is set up: the user vp, who owns the database vp and may do nothing else.
set -euo pipefail

psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres << 'SQL'
\set password `cat /secrets/vp-password`
CREATE ROLE vp LOGIN PASSWORD :'password';
CREATE DATABASE vp OWNER vp TEMPLATE template0 ENCODING 'UTF8';
REVOKE CONNECT ON DATABASE vp FROM PUBLIC;
REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
SQL
