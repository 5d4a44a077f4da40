/**
 * The parameters of a connection, named as in libpq (PostgreSQL documentation, 34.1.2), from a URL, a service of
 * `pg_service.conf` and `PG…` variables; the earlier of these wins. The URL is not read by pg-connection-string, which has other meanings
 * of `sslmode`, opens files, prints warnings of its own and takes one host only.
 */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { vpError } from '../../errors/vp-error.ts';

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

const Text = Type.Optional(Type.String({ minLength: 1 }));
const Choice = <const T extends readonly string[]>(values: T) =>
  Type.Optional(Type.Union(values.map((value) => Type.Literal(value as T[number]))));

const Parameters = Type.Object(
  {
    /** Lists with commas: several hosts, and one port or as many. */
    host: Text,
    port: Type.Optional(Type.String({ pattern: '^\\d{1,5}(,\\d{1,5})*$' })),
    dbname: Text,
    user: Text,
    password: Type.Optional(Type.String()),
    passfile: Text,
    service: Text,
    sslmode: Choice(sslModes),
    sslrootcert: Text,
    sslcert: Text,
    sslkey: Text,
    connect_timeout: Type.Optional(Type.String({ pattern: '^\\d{1,4}$' })),
    application_name: Text,
    options: Text,
    /** A store has to write: a standby is never taken, whatever this says. */
    target_session_attrs: Choice(['any', 'read-write', 'primary']),
    channel_binding: Choice(['disable', 'prefer']),
    gssencmode: Choice(['disable', 'prefer']),
  },
  { additionalProperties: false },
);

export type ConnectionParameters = Static<typeof Parameters>;

const variableNames: Readonly<Record<string, keyof ConnectionParameters>> = {
  PGHOST: 'host',
  PGPORT: 'port',
  PGDATABASE: 'dbname',
  PGUSER: 'user',
  PGPASSWORD: 'password',
  PGPASSFILE: 'passfile',
  PGSERVICE: 'service',
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGCONNECT_TIMEOUT: 'connect_timeout',
  PGAPPNAME: 'application_name',
  PGOPTIONS: 'options',
  PGTARGETSESSIONATTRS: 'target_session_attrs',
  PGCHANNELBINDING: 'channel_binding',
  PGGSSENCMODE: 'gssencmode',
};

const urlForm =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^@/?#]*)(?:\/(?<dbname>[^?#]*))?(?:\?(?<query>[^#]*))?$/i;
const hostForm = /^(?<host>\[[\da-f:.]+\]|[^:[\]]*)(?::(?<port>\d*))?$/i;

const escapes = 'write `@`, `:`, `/`, `?`, `#` and `%` in the user and the password as %40, %3A, %2F, %3F, %23 and %25';

type Problem = (problem: string) => Error;

/** Names what is wrong, and never quotes a value: it may be a password. */
function createProblem(source: string): Problem {
  return (problem) => vpError('STORE_DATABASE_URL', { source, problem });
}

/** Throws STORE_DATABASE_URL. `source` is where the text comes from, for messages. */
export function parsePostgresUrl(text: string, source: string): ConnectionParameters {
  const fail = createProblem(source);
  if (text.startsWith('jdbc:')) throw fail('it is a JDBC URL');
  if (!/^postgres(ql)?:\/\//i.test(text)) throw fail('it does not begin with `postgres://`');
  const { groups } = urlForm.exec(text) ?? {};
  if (!groups) throw fail(escapes);
  const { user, password, hosts = '', dbname, query } = groups;
  const decoded = Object.entries({ user, password, dbname, ...parseHosts(hosts, fail) })
    .filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '')
    .map(([name, value]) => [name, decode(value, fail)]);
  return assertParameters({ ...Object.fromEntries(decoded), ...parseQuery(query ?? '', fail) }, source);
}

function parseHosts(text: string, fail: Problem): { host?: string; port?: string } {
  if (text === '') return {};
  const hosts = text.split(',').map((item) => hostForm.exec(item)?.groups);
  if (!hosts.every((groups) => groups !== undefined)) throw fail(`its host and port are not understood; ${escapes}`);
  const ports = hosts.map(({ port }) => port || '5432');
  return {
    host: hosts.map(({ host = '' }) => host.replace(/^\[|\]$/g, '')).join(','),
    ...(hosts.every(({ port }) => !port) ? {} : { port: ports.join(',') }),
  };
}

function parseQuery(text: string, fail: Problem): Record<string, string> {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      return [decode(name, fail), decode(rest.join('='), fail)];
    }),
  );
}

/** A `+` stays one, as in libpq. */
function decode(text: string, fail: Problem): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail('a % in it does not begin two hexadecimal digits');
  }
}

/** Throws STORE_DATABASE_URL for the first parameter that is unknown or has an unusable value. */
export function assertParameters(parameters: Record<string, string>, source: string): ConnectionParameters {
  if (Value.Check(Parameters, parameters)) return parameters;
  const path = Value.Errors(Parameters, parameters).First()?.path.slice(1) ?? '';
  const isKnown = Object.hasOwn(Parameters.properties, path);
  const known = path === 'sslmode' ? `; known are ${sslModes.join(', ')}` : '';
  throw createProblem(source)(
    isKnown ? `the value of \`${path}\` cannot be used${known}` : `the parameter \`${path}\` is not known`,
  );
}

/** The parameters that `PG…` variables set. Throws STORE_DATABASE_URL. */
export function readParameterVariables(variables: Readonly<Record<string, string | undefined>>): ConnectionParameters {
  const set = Object.entries(variableNames).flatMap(([variable, name]) => {
    const value = variables[variable];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return assertParameters(Object.fromEntries(set), 'a PG… variable');
}
