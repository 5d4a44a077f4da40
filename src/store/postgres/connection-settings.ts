/** What a connection to a store on PostgreSQL needs, from the operator's URLs, files and variables. */
import { vpError } from '../../errors/vp-error.ts';
import { type ConnectionVariables, findFilePassword, readConnectionFile, readService } from './connection-files.ts';
import {
  type ConnectionParameters,
  parsePostgresUrl,
  readParameterVariables,
  type SslMode,
} from './connection-parameters.ts';
import { readTlsFiles, type TlsFiles } from './tls-attempts.ts';

/** `host` may be the folder of a Unix socket. */
export type PostgresHost = { readonly host: string; readonly port: number };

export type PostgresSettings = {
  /** In the order in which they are tried; a standby among them is passed over. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  readonly user: string;
  readonly sslmode: SslMode;
  readonly tls: TlsFiles;
  readonly applicationName: string;
  /** Parameters of the session, as for `postgres -c`. PgBouncer refuses them. */
  readonly options: string | undefined;
  readonly connectTimeoutMs: number;
  /** The hosts, for messages of the operator. */
  readonly address: string;
  /** Reads the password file each time, so that a password can be changed. Throws STORE_DATABASE_FILE. */
  findPassword(host: PostgresHost): Promise<string | undefined>;
};

/** What the operator said. An argument list must not have a password, because every user of the machine can read it. */
export type DatabaseSource =
  | { readonly kind: 'flag'; readonly name: string; readonly url: string }
  | { readonly kind: 'variable'; readonly name: string; readonly url: string }
  | { readonly kind: 'file'; readonly file: string };

const defaultPort = '5432';
const defaultConnectTimeoutSeconds = 10;
const minConnectTimeoutSeconds = 2;

/**
 * Settings from `source`, completed by its service, by `base` (the main connection, for a direct one) and by PG… variables. Throws
 * STORE_DATABASE_URL, STORE_DATABASE_PASSWORD_EXPOSED, STORE_DATABASE_FILE.
 */
export function readPostgresSettings(
  source: DatabaseSource,
  variables: ConnectionVariables,
  base?: ConnectionParameters,
): PostgresSettings {
  const parameters = readParameters(source, variables, base);
  return toSettings(parameters, formatSource(source), variables);
}

/** The parameters themselves, as the base of a direct connection. */
export function readParameters(
  source: DatabaseSource,
  variables: ConnectionVariables,
  base: ConnectionParameters = {},
): ConnectionParameters {
  const name = formatSource(source);
  const own = parsePostgresUrl(readUrl(source), name);
  if (source.kind === 'flag' && own.password !== undefined)
    throw vpError('STORE_DATABASE_PASSWORD_EXPOSED', { source: name });
  const fromVariables = readParameterVariables(variables);
  const service = own.service ?? base.service ?? fromVariables.service;
  // A port belongs to its host.
  const { port: _port, ...baseWithoutPort } = base;
  return {
    ...fromVariables,
    ...(service === undefined ? {} : readService(service, variables)),
    ...(own.host === undefined ? base : baseWithoutPort),
    ...own,
  };
}

function formatSource(source: DatabaseSource): string {
  return source.kind === 'file' ? source.file : source.name;
}

function readUrl(source: DatabaseSource): string {
  if (source.kind !== 'file') return source.url.trim();
  return readConnectionFile(source.file, '--database-file', 'secret').trim();
}

function toSettings(
  parameters: ConnectionParameters,
  source: string,
  variables: ConnectionVariables,
): PostgresSettings {
  const { dbname: database, user, password, passfile } = parameters;
  const fail = (problem: string) => vpError('STORE_DATABASE_URL', { source, problem });
  if (user === undefined) throw fail('it names no user');
  if (database === undefined) throw fail('it names no database');
  const hosts = listHosts(parameters, fail);
  return {
    ...{ hosts, database, user },
    sslmode: parameters.sslmode ?? 'prefer',
    tls: readTlsFiles(parameters, fail),
    applicationName: parameters.application_name ?? 'vp',
    options: parameters.options,
    connectTimeoutMs: toTimeoutMs(parameters.connect_timeout),
    address: hosts.map(formatHost).join(', '),
    async findPassword({ host, port }) {
      if (password !== undefined) return password;
      // As in libpq, passwords for a Unix socket stand under `localhost`.
      const key = { host: host.startsWith('/') ? 'localhost' : host, port, database, user };
      return findFilePassword(key, passfile, variables);
    },
  };
}

function listHosts({ host = 'localhost', port = defaultPort }: ConnectionParameters, fail: (problem: string) => Error) {
  const names = host.split(',').map((name) => name || 'localhost');
  const ports = port.split(',').map(Number);
  const [onlyPort] = ports;
  if (ports.length !== 1 && ports.length !== names.length) throw fail('it has more or fewer ports than hosts');
  if (!ports.every((number) => number >= 1 && number <= 65_535)) throw fail('a port is not a number from 1 to 65535');
  return names.map((name, index) => ({ host: name, port: ports[index] ?? onlyPort ?? Number(defaultPort) }));
}

/** Zero waits for ever in libpq; here nothing does. */
function toTimeoutMs(text: string | undefined): number {
  const seconds = Number(text ?? 0) || defaultConnectTimeoutSeconds;
  return Math.max(seconds, minConnectTimeoutSeconds) * 1000;
}

/** `db:5432`, for messages. */
export function formatHost({ host, port }: PostgresHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
