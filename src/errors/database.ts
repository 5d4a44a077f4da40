/** Errors of the target's database. All but the last tell, as evidence that is missing, why a query gave no rows. */
import { invalid, unreachable } from './row.ts';

const ofGuard = {
  DATABASE_QUERY_UNREADABLE: invalid('the query cannot be read: {{problem}}', '{{instead}}'),
  DATABASE_QUERY_NOT_READING: invalid(
    'the query begins with `{{word}}`, and only queries that read are run',
    'begin it with SELECT, WITH, VALUES or TABLE',
  ),
  DATABASE_QUERY_SEVERAL: invalid(
    'the query goes on with `{{word}}` behind its `;`, and only one statement is run',
    'write each statement as a query of its own',
  ),
  DATABASE_QUERY_WRITES: invalid(
    '`{{word}}` in the query changes or locks data, and only queries that read are run',
    'leave it out; a column or table of that name is written in double quotes: "{{name}}"',
  ),
  DATABASE_QUERY_SYSTEM: invalid(
    'the query uses `{{name}}`, which tells about the database itself and not about the data of the application',
    'ask tables and views of the schema public only; a column of that name is written with its table or alias before it, as in `t.{{name}}`',
  ),
  DATABASE_QUERY_SCHEMA: invalid(
    'the query uses the schema `{{name}}`, and only tables and views of the schema public are read',
    'ask a table or view of the schema public; an alias must not have the name of a schema',
  ),
  DATABASE_QUERY_FUNCTION: invalid(
    'the query calls `{{name}}`, which is not among the functions that queries may call',
    '{{hint}}do without it: functions that count, compare, cut texts and dates or read JSON may be called, those of the application and of the server not; an alias with columns needs AS, as in `AS {{name}}(a, b)`',
  ),
} as const;

const ofServer = {
  DATABASE_QUERY_SYNTAX: invalid('the database cannot read the query{{place}}: {{reason}}', 'mend the query there'),
  DATABASE_TABLE_UNKNOWN: invalid(
    '{{reason}}{{place}}',
    '{{hint}}use a table or view of the schema public, with its name as it was created (names with capitals need double quotes)',
  ),
  DATABASE_COLUMN_UNKNOWN: invalid('{{reason}}{{place}}', '{{hint}}look at the columns of the table and mend the name'),
  DATABASE_FUNCTION_UNKNOWN: invalid(
    '{{reason}}{{place}}',
    'mend the name, or cast the values to the types that it takes, as in `$1::integer`',
  ),
  DATABASE_PARAMETER_TYPE: invalid(
    '{{reason}}{{place}}',
    'say its type in the query, as in `$1::text` or `$1::integer`',
  ),
  DATABASE_VALUE: invalid(
    'the database stopped at a value: {{reason}}{{place}}',
    'mend the value or the cast; parameters are sent as text and read as the type they are compared with',
  ),
  DATABASE_PERMISSION: unreachable(
    'the database user {{user}} may not do that: {{reason}}',
    'as the owner of the database run: {{grant}}',
  ),
  DATABASE_WRITE_REFUSED: invalid(
    'the query tried to write, and the database refused it: {{reason}}',
    'queries only read; let the application itself change its data, through the request of the scenario',
  ),
  DATABASE_TIMEOUT: unreachable(
    'the query was stopped after {{seconds}} s',
    'ask for less: a narrower WHERE, fewer joins, or an index on the columns of the condition',
  ),
  DATABASE_LOCKED: unreachable(
    'the query waited {{seconds}} s for a lock that somebody else holds',
    'look which transaction of the application stays open (a migration, a forgotten COMMIT), then run again',
  ),
  DATABASE_TOO_LARGE: unreachable(
    'the answer of the query is larger than {{limit}}, and its reading was stopped',
    'select fewer columns or rows, or a part of large values, as in `left(content, 200)`',
  ),
  DATABASE_QUERY_FAILED: unreachable(
    'the database refused the query{{place}}: {{reason}} (SQLSTATE {{state}})',
    'mend the query, or look into the log of the database at this moment',
  ),
  DATABASE_CANCELLED: unreachable('the query was given up, because the run ended', 'run again to have its answer'),
  DATABASE_BUSY: unreachable(
    'there are {{count}} queries waiting already',
    'wait until they are answered; queries run one at a time',
  ),
} as const;

const ofConnection = {
  DATABASE_REFUSED: unreachable(
    'nothing listens at {{address}}: the connection to the database was refused',
    'start the database, and check host and port in `targets.database.jdbc_url` (inside a container network: the service name and the port inside it)',
  ),
  DATABASE_UNRESOLVED: unreachable(
    'the host name {{host}} of the database does not resolve ({{reason}})',
    'check the host in `targets.database.jdbc_url`: inside a container network it is the compose service name',
  ),
  DATABASE_CONNECT_TIMEOUT: unreachable(
    'the database at {{address}} did not take the connection within {{seconds}} s',
    'check that it runs and that executor and database share a network without a firewall between them',
  ),
  DATABASE_CONNECTION_FAILED: unreachable(
    'there is no connection to the database at {{address}} ({{reason}})',
    'check `targets.database.jdbc_url`, and that a PostgreSQL answers there',
  ),
  DATABASE_CONNECTION_LOST: unreachable(
    'the connection to the database at {{address}} broke off during the query ({{reason}})',
    'look into the log of the database for a restart or a crash, then run again',
  ),
  DATABASE_SIGN_IN: unreachable(
    'the database at {{address}} does not let the user {{user}} in: {{reason}}',
    'check `username` and `password` of `targets.database`, the role in the database, and its pg_hba.conf',
  ),
  DATABASE_UNKNOWN: unreachable(
    'there is no database {{database}} at {{address}}',
    'check the name behind the last `/` of `targets.database.jdbc_url`',
  ),
  DATABASE_FULL: unreachable(
    'the database at {{address}} takes no more connections: {{reason}}',
    'close connections that nobody uses, or raise max_connections or the CONNECTION LIMIT of the user {{user}}',
  ),
  DATABASE_STARTING: unreachable(
    'the database at {{address}} is starting or stopping: {{reason}}',
    'wait until it is ready, then run again',
  ),
  DATABASE_TLS: unreachable(
    'there is no TLS connection to the database at {{address}} ({{reason}})',
    'check `sslmode` and `sslrootcert` in `targets.database.jdbc_url` against what the database offers',
  ),
} as const;

/** Area: database. */
export const databaseErrors = {
  ...ofGuard,
  ...ofServer,
  ...ofConnection,
  DATABASE_UNREACHABLE: unreachable('the database was not read: {{problem}}', '{{instead}}'),
} as const;
