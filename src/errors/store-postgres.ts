/** Errors of a store on PostgreSQL. Those of one connection reach callers of the control plane as STORE_DATABASE_UNAVAILABLE. */
import { exitCode } from './exit-code.ts';
import { conflict, invalid, localFailure, notFound, notReady, peerFailure, warning, withStatus } from './row.ts';

const ofSettings = {
  STORE_DATABASE_URL: invalid(
    '{{source}} is not a usable PostgreSQL URL: {{problem}}',
    'write it as `postgres://<user>@<host>:5432/<database>?sslmode=verify-full`',
  ),
  STORE_DATABASE_PASSWORD_EXPOSED: invalid(
    'the URL in {{source}} has a password, which every user of this machine can read in the list of processes',
    'change that password; then put the URL into a file of mode 0600 and pass --database-file <file>, or set VP_DATABASE, or put the password alone into ~/.pgpass',
  ),
  STORE_DATABASE_FILE: invalid('the file {{file}} of {{source}} cannot be used: {{problem}}', '{{instead}}'),
} as const;

const ofContent = {
  STORE_DATABASE_EMPTY: notFound(
    'the database {{database}} holds no store of a control plane',
    'check the URL; `vp move --to <url>` copies the stores of a data folder into it',
  ),
  STORE_DATABASE_NOT_EMPTY: conflict(
    'the database {{database}} already holds a control plane: there are rows in {{table}}',
    'name an empty database, for example a new one from `createdb`; nothing was changed, and a move that was interrupted leaves either nothing or everything',
  ),
  STORE_OPERATION_TOO_LARGE: conflict(
    'the change needs more than {{max}} reads of the database, so nothing was changed',
    'make fewer changes at once, in several requests',
  ),
  STORE_DATABASE_IN_USE: withStatus(409, exitCode.notReady)(
    'the database {{database}} is in use by {{holder}}',
    'stop every `vp serve` that uses it, then try again; nothing was changed',
  ),
} as const;

const ofConnection = {
  STORE_DATABASE_UNREACHABLE: peerFailure(
    'the database server at {{address}} was not reached: {{reason}}',
    'start it, and check host and port of the URL, listen_addresses of the server and the firewall between them',
  ),
  STORE_DATABASE_PASSWORD_MISSING: peerFailure(
    'the database server at {{address}} asks for the password of {{user}}, and none was given',
    'put it into the URL in VP_DATABASE or --database-file, into PGPASSWORD, or into ~/.pgpass (mode 0600): `{{host}}:{{port}}:{{database}}:{{user}}:<password>`',
  ),
  STORE_DATABASE_SIGN_IN: peerFailure(
    'the database server at {{address}} rejected the user {{user}}: {{reason}}',
    'check the user and the password in the URL, PGPASSWORD or ~/.pgpass, the role in the database, and pg_hba.conf of the server',
  ),
  STORE_DATABASE_TLS_REQUIRED: peerFailure(
    'the database server at {{address}} accepts {{user}} only with TLS: {{reason}}',
    'add `sslmode=verify-full` to the URL (with `sslrootcert=<file.pem>` for a private authority)',
  ),
  STORE_DATABASE_TLS_UNAVAILABLE: peerFailure(
    'the database server at {{address}} has no TLS, which `sslmode={{sslmode}}` demands',
    'turn it on (`ssl = on` in postgresql.conf), or use `sslmode=disable` where no one else can read the network',
  ),
  STORE_DATABASE_TLS_UNTRUSTED: peerFailure(
    'the certificate of the database server at {{address}} is not trusted: {{reason}}',
    'name the certificate of its authority in the URL (`sslrootcert=<file.pem>`), and a host name that the certificate has',
  ),
  STORE_DATABASE_UNKNOWN: peerFailure(
    'there is no database {{database}} at {{address}}',
    "create it with `CREATE DATABASE {{database}} OWNER {{user}} ENCODING 'UTF8' TEMPLATE template0`, or correct the name in the URL",
  ),
  STORE_DATABASE_FULL: notReady(
    'the database server at {{address}} accepts no more connections: {{reason}}',
    'close unused connections, raise max_connections or the CONNECTION LIMIT of {{user}}, or put PgBouncer before it',
  ),
  STORE_DATABASE_STARTING: notReady(
    'the database server at {{address}} is starting or stopping: {{reason}}',
    'wait until it is ready; see its log when that takes long',
  ),
  STORE_DATABASE_LOST: notReady(
    'the connection to the database server at {{address}} was lost: {{reason}}',
    'see the log of the server, or of the proxy before it, for a restart or a crash',
  ),
} as const;

const ofServer = {
  STORE_DATABASE_READ_ONLY: notReady(
    'the database {{database}} at {{address}} is read-only: {{reason}}',
    'name the primary server in the URL, or all servers (`postgres://<user>@<host>,<host>/<database>`): the one that can be written is taken',
  ),
  STORE_DATABASE_VERSION: localFailure(
    'the server at {{address}} is PostgreSQL {{version}}, and a store needs {{minimum}} or newer',
    'upgrade the server, or name another one',
  ),
  STORE_DATABASE_ENCODING: localFailure(
    'the database {{database}} at {{address}} has the encoding {{encoding}}, which does not hold every text',
    "create one with `CREATE DATABASE <name> ENCODING 'UTF8' TEMPLATE template0`; its collation does not matter",
  ),
  STORE_DATABASE_POOLER: localFailure(
    'the pooler before the database at {{address}} cannot be used: {{reason}}',
    'set `pool_mode = transaction` (or `session`) in pgbouncer.ini for this database; LISTEN needs a direct connection, named with --database-direct',
  ),
  STORE_DATABASE_RIGHTS: localFailure(
    'the database user {{user}} may not do what the store needs: {{reason}}',
    'give the user the database: `ALTER DATABASE {{database}} OWNER TO {{user}}`, or grant what the message names',
  ),
  STORE_DATABASE_DISK_FULL: notReady(
    'the disk of the database server at {{address}} is full: {{reason}}',
    'free space there; what was acknowledged before is safe',
  ),
  STORE_DATABASE_FAILED: localFailure(
    'the database at {{address}} refused a statement: {{reason}} (SQLSTATE {{state}})',
    'see the log of the database server at this time',
  ),
  STORE_DATABASE_UNAVAILABLE: notReady(
    'the database of the control plane cannot be used now ({{reason}})',
    'try again; `vp doctor` and the log of the control plane say why',
  ),
} as const;

/** What `vp doctor` warns of. */
const ofDoctor = {
  STORE_DATABASE_UNENCRYPTED: warning(
    'the connection to the database server at {{address}} has no TLS: everyone on the network between can read the store',
    'turn TLS on at the server, and add `sslmode=verify-full` to the URL',
  ),
  STORE_DATABASE_UNSAFE: warning(
    'the database server at {{address}} does not write to its disk ({{parameter}} is off): what it acknowledges is lost when its machine stops',
    'set `{{parameter}} = on` in postgresql.conf and reload the server',
  ),
  STORE_DATABASE_POOLED: warning(
    'a pooler answers at {{address}} ({{flag}}): replicas notice the end of the active one more slowly',
    'name the server itself with --database-direct <url>; what that URL omits is taken from the other one',
  ),
} as const;

export const storeDatabaseErrors = { ...ofSettings, ...ofContent, ...ofConnection, ...ofServer, ...ofDoctor } as const;
