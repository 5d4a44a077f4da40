import t from 'tap';
import { type DatabaseErrorContext, describeDatabaseError } from '../../../src/executor/database/database-error.ts';
import { databaseLimits } from '../../../src/executor/database/database-limits.ts';
import { createDatabaseTarget } from './test-database.ts';

const context: DatabaseErrorContext = {
  target: createDatabaseTarget(5432, { host: 'db', username: 'Reader' }),
  limits: databaseLimits,
  sql: 'SELECT *\nFROM ordrs',
  redact: (text) => text.replaceAll('hunter2', '[redacted]'),
};

/** An ErrorResponse as pg converts it. */
function serverError(code: string, message: string, rest: object = {}): Error {
  return Object.assign(new Error(message), { severity: 'ERROR', code, ...rest });
}

/** An error of the system. */
function failed(code: string, message = `connect ${code}`): Error {
  return Object.assign(new Error(message), { code });
}

const cases: readonly [error: unknown, code: string, message: string, cure: RegExp][] = [
  [
    serverError('42601', 'syntax error at or near "ordrs"', { position: '15' }),
    'DATABASE_QUERY_SYNTAX',
    'the database cannot parse the query (line 2, column 6): syntax error at or near "ordrs"',
    /correct the query/,
  ],
  [
    serverError('42P01', 'relation "ordrs" does not exist', { position: '15' }),
    'DATABASE_TABLE_UNKNOWN',
    'relation "ordrs" does not exist (line 2, column 6)',
    /schema public/,
  ],
  [
    serverError('42703', 'column "stat" does not exist', {
      hint: 'Perhaps you meant to reference the column "orders.state".',
    }),
    'DATABASE_COLUMN_UNKNOWN',
    'column "stat" does not exist',
    /^Perhaps you meant .*"orders\.state"\. look at the columns/,
  ],
  [
    serverError('42883', 'operator does not exist: integer = text'),
    'DATABASE_FUNCTION_UNKNOWN',
    'operator does not exist: integer = text',
    /\$1::integer/,
  ],
  [
    serverError('42P18', 'could not determine data type of parameter $1'),
    'DATABASE_PARAMETER_TYPE',
    'could not determine data type of parameter $1',
    /\$1::text/,
  ],
  [
    serverError('22P02', 'invalid input syntax for type uuid: "hunter2"'),
    'DATABASE_VALUE',
    'the database stopped at a value: invalid input syntax for type uuid: "[redacted]"',
    /cast/,
  ],
  [
    serverError('42501', 'permission denied for table Orders'),
    'DATABASE_PERMISSION',
    'the database user Reader may not do that: permission denied for table Orders',
    /GRANT SELECT ON "Orders" TO "Reader"$/,
  ],
  [
    serverError('42501', 'permission denied for schema vault'),
    'DATABASE_PERMISSION',
    'the database user Reader may not do that: permission denied for schema vault',
    /GRANT USAGE ON SCHEMA vault TO "Reader"$/,
  ],
  [
    serverError('42501', 'keine Berechtigung für Tabelle orders'),
    'DATABASE_PERMISSION',
    'the database user Reader may not do that: keine Berechtigung für Tabelle orders',
    /GRANT SELECT ON ALL TABLES IN SCHEMA public TO "Reader"$/,
  ],
  [
    serverError('42501', 'die Anfrage würde … für Tabelle »orders« beeinflusst', { routine: 'check_enable_rls' }),
    'DATABASE_ROWS_HIDDEN',
    'row-level security may hide rows of a table of the query from the database user Reader, so its rows say nothing',
    /CREATE POLICY vp_reads_all ON … FOR SELECT TO "Reader" USING \(true\)/,
  ],
  [
    serverError('25006', 'cannot execute INSERT in a read-only transaction'),
    'DATABASE_WRITE_REFUSED',
    'the query tried to write, and the database refused it: cannot execute INSERT in a read-only transaction',
    /queries only read/,
  ],
  [
    serverError('57014', 'canceling statement'),
    'DATABASE_TIMEOUT',
    'the query was stopped after 5 s',
    /query less data/,
  ],
  [
    serverError('55P03', 'canceling statement due to lock timeout'),
    'DATABASE_LOCKED',
    'the query waited 2 s for a lock that another session holds',
    /transaction/,
  ],
  [
    serverError('54001', 'stack depth limit exceeded'),
    'DATABASE_QUERY_FAILED',
    'the database refused the query: stack depth limit exceeded (SQLSTATE 54001)',
    /log of the database/,
  ],
  [
    serverError('28P01', 'password authentication failed for user "Reader"'),
    'DATABASE_SIGN_IN',
    'the database at db:5432 rejected the sign-in of the user Reader: password authentication failed for user "Reader"',
    /`password`/,
  ],
  [serverError('3D000', 'no'), 'DATABASE_UNKNOWN', 'there is no database docs at db:5432', /jdbc_url/],
  [
    serverError('53300', 'too many connections for role "Reader"'),
    'DATABASE_FULL',
    'the database at db:5432 accepts no more connections: too many connections for role "Reader"',
    /CONNECTION LIMIT of the user Reader/,
  ],
  [
    serverError('57P03', 'the database system is starting up'),
    'DATABASE_STARTING',
    'the database at db:5432 is starting or stopping: the database system is starting up',
    /wait/,
  ],
  [
    failed('ECONNREFUSED'),
    'DATABASE_REFUSED',
    'nothing listens at db:5432: the connection to the database was refused',
    /service name/,
  ],
  [
    failed('EAI_AGAIN'),
    'DATABASE_UNRESOLVED',
    'the host name db of the database does not resolve (EAI_AGAIN)',
    /compose service name/,
  ],
  [
    failed('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'),
    'DATABASE_TLS',
    'the TLS connection to the database at db:5432 failed (self-signed certificate in certificate chain)',
    /sslrootcert/,
  ],
  [
    failed('ECONNRESET'),
    'DATABASE_CONNECTION_LOST',
    'the connection to the database at db:5432 was lost during the query (ECONNRESET)',
    /run again/,
  ],
  [
    failed('EHOSTUNREACH'),
    'DATABASE_CONNECTION_FAILED',
    'the connection to the database at db:5432 failed (EHOSTUNREACH)',
    /jdbc_url/,
  ],
  ['odd', 'DATABASE_CONNECTION_FAILED', 'the connection to the database at db:5432 failed (odd)', /./],
];

t.test('each error has a message and the next step', async (t) => {
  for (const [error, code, message, cure] of cases) {
    const description = describeDatabaseError(error, context);
    t.same([description.code, description.message], [code, message]);
    t.match(description.cure, cure, code);
  }
});
