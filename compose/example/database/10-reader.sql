-- Creates the read-only role when the database is initialized. It may log in and read the tables of schema public, including
-- those that the application creates later, and nothing else. psql reads its name and password from the container's
-- environment, so that they are in no file.
\set ON_ERROR_STOP on
\getenv reader READER_USER
\getenv password READER_PASSWORD
\getenv owner POSTGRES_USER
\getenv database POSTGRES_DB

CREATE ROLE :"reader" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS
  CONNECTION LIMIT 10 PASSWORD :'password';

-- Every role has these through PUBLIC: temporary tables are writes too.
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

GRANT CONNECT ON DATABASE :"database" TO :"reader";
GRANT USAGE ON SCHEMA public TO :"reader";
GRANT SELECT ON ALL TABLES IN SCHEMA public TO :"reader";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT SELECT ON TABLES TO :"reader";

-- Not a protection, because a session can change them, but mistakes are stopped early.
ALTER ROLE :"reader" SET default_transaction_read_only = on;
ALTER ROLE :"reader" SET statement_timeout = '10s';
ALTER ROLE :"reader" SET idle_in_transaction_session_timeout = '30s';
