/** Errors of the target's database. All but the last say, as missing evidence, why a query has no rows. */
import { invalid, peerFailure } from './row.ts';

const ofGuard = {
  DATABASE_QUERY_UNREADABLE: invalid('the query cannot be read: {{problem}}', '{{instead}}'),
  DATABASE_QUERY_NOT_READING: invalid(
    'the query begins with `{{word}}`, and only read-only queries are run',
    'begin it with SELECT, WITH, VALUES or TABLE',
  ),
  DATABASE_QUERY_SEVERAL: invalid(
    'the query continues with `{{word}}` after its `;`, and only one statement is run',
    'write each statement as a separate query',
  ),
  DATABASE_QUERY_WRITES: invalid(
    '`{{word}}` in the query changes or locks data, and only read-only queries are run',
    'remove it; write a column or table of that name in double quotes: "{{name}}"',
  ),
  DATABASE_QUERY_SYSTEM: invalid(
    'the query uses `{{name}}`, which describes the database itself and not the data of the application',
    'query only tables and views of the schema public; write a column of that name with its table or alias before it, as in `t.{{name}}`',
  ),
  DATABASE_QUERY_SCHEMA: invalid(
    'the query uses the schema `{{name}}`, and only tables and views of the schema public are read',
    'query a table or view of the schema public; an alias must not have the name of a schema',
  ),
  DATABASE_QUERY_FUNCTION: invalid(
    'the query calls `{{name}}`, which is not among the functions that queries may call',
    '{{hint}}remove the call: only functions that count, compare, shorten text and dates or read JSON are allowed, none of the application or the server; an alias with columns needs AS, as in `AS {{name}}(a, b)`',
  ),
} as const;

const ofServer = {
  DATABASE_QUERY_SYNTAX: invalid(
    'the database cannot parse the query{{position}}: {{reason}}',
    'correct the query there',
  ),
  DATABASE_TABLE_UNKNOWN: invalid(
    '{{reason}}{{position}}',
    '{{hint}}use a table or view of the schema public, with its name as it was created (names with capitals need double quotes)',
  ),
  DATABASE_COLUMN_UNKNOWN: invalid(
    '{{reason}}{{position}}',
    '{{hint}}look at the columns of the table and correct the name',
  ),
  DATABASE_FUNCTION_UNKNOWN: invalid(
    '{{reason}}{{position}}',
    'correct the name, or cast the values to the types that it takes, as in `$1::integer`',
  ),
  DATABASE_PARAMETER_TYPE: invalid(
    '{{reason}}{{position}}',
    'give its type in the query, as in `$1::text` or `$1::integer`',
  ),
  DATABASE_VALUE: invalid(
    'the database stopped at a value: {{reason}}{{position}}',
    'correct the value or the cast; parameters are sent as text and read as the type they are compared with',
  ),
  DATABASE_PERMISSION: peerFailure(
    'the database user {{user}} may not do that: {{reason}}',
    'as the owner of the database run: {{grant}}',
  ),
  DATABASE_ROWS_HIDDEN: peerFailure(
    'row-level security may hide rows of {{table}} from the database user {{user}}, so its rows say nothing',
    'as the owner of the table run: {{policy}}; no restrictive policy may hold for that user',
  ),
  DATABASE_WRITE_REFUSED: invalid(
    'the query tried to write, and the database refused it: {{reason}}',
    'queries only read; let the application itself change its data, through the request of the scenario',
  ),
  DATABASE_TIMEOUT: peerFailure(
    'the query was stopped after {{seconds}} s',
    'query less data: use a narrower WHERE, fewer joins, or an index on the columns of the condition',
  ),
  DATABASE_LOCKED: peerFailure(
    'the query waited {{seconds}} s for a lock that another session holds',
    'find the transaction that the application keeps open (a migration, a forgotten COMMIT), then run again',
  ),
  DATABASE_TOO_LARGE: peerFailure(
    'the result of the query is larger than {{limit}}, and reading it was stopped',
    'select fewer columns or rows, or a part of large values, as in `left(content, 200)`',
  ),
  DATABASE_QUERY_FAILED: peerFailure(
    'the database refused the query{{position}}: {{reason}} (SQLSTATE {{state}})',
    'correct the query, or check the log of the database at this time',
  ),
  DATABASE_CANCELLED: peerFailure('the query was cancelled because the run ended', 'run again to get its result'),
  DATABASE_BUSY: peerFailure(
    '{{count}} queries are already waiting',
    'wait until they have finished; queries run one at a time',
  ),
} as const;

const ofConnection = {
  DATABASE_REFUSED: peerFailure(
    'nothing listens at {{address}}: the connection to the database was refused',
    'start the database, and check host and port in `targets.database.jdbc_url` (inside a container network: the service name and the port inside it)',
  ),
  DATABASE_UNRESOLVED: peerFailure(
    'the host name {{host}} of the database does not resolve ({{reason}})',
    'check the host in `targets.database.jdbc_url`: inside a container network it is the compose service name',
  ),
  DATABASE_CONNECT_TIMEOUT: peerFailure(
    'the database at {{address}} did not accept the connection within {{seconds}} s',
    'check that it runs and that executor and database share a network without a firewall between them',
  ),
  DATABASE_CONNECTION_FAILED: peerFailure(
    'the connection to the database at {{address}} failed ({{reason}})',
    'check `targets.database.jdbc_url`, and that a PostgreSQL server answers there',
  ),
  DATABASE_CONNECTION_LOST: peerFailure(
    'the connection to the database at {{address}} was lost during the query ({{reason}})',
    'check the log of the database for a restart or a crash, then run again',
  ),
  DATABASE_SIGN_IN: peerFailure(
    'the database at {{address}} rejected the sign-in of the user {{user}}: {{reason}}',
    'check `username` and `password` of `targets.database`, the role in the database, and its pg_hba.conf',
  ),
  DATABASE_UNKNOWN: peerFailure(
    'there is no database {{database}} at {{address}}',
    'check the name after the last `/` of `targets.database.jdbc_url`',
  ),
  DATABASE_FULL: peerFailure(
    'the database at {{address}} accepts no more connections: {{reason}}',
    'close unused connections, or raise max_connections or the CONNECTION LIMIT of the user {{user}}',
  ),
  DATABASE_STARTING: peerFailure(
    'the database at {{address}} is starting or stopping: {{reason}}',
    'wait until it is ready, then run again',
  ),
  DATABASE_TLS: peerFailure(
    'the TLS connection to the database at {{address}} failed ({{reason}})',
    'check `sslmode` and `sslrootcert` in `targets.database.jdbc_url` against what the database offers',
  ),
} as const;

export const databaseErrors = {
  ...ofGuard,
  ...ofServer,
  ...ofConnection,
  DATABASE_UNREACHABLE: peerFailure('the database was not read: {{problem}}', '{{instead}}'),
} as const;
