/** A PostgreSQL in a container of the test, with the example's read-only role. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Test } from 'tap';
import { Secret } from '../../src/project/env/secret.ts';
import type { DatabaseTarget } from '../../src/project/project-config.ts';

const container = 'vp-test-database';
const image = 'postgres:16';
const port = 23_481;

/** Owner and superuser. */
export const owner = { username: 'app', password: 'owner-password' };
/** Created by compose/example/database. */
export const reader = { username: 'reader', password: 'reader-password' };

function docker(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('docker', args, { input, encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new Error(`docker ${args.slice(0, 3).join(' ')}: ${stderr}`);
  return stdout;
}

/** Runs SQL as the owner. */
export function asOwner(sql: string): string {
  const psql = ['psql', '--quiet', '--no-align', '--tuples-only', '-v', 'ON_ERROR_STOP=1', '-U', owner.username];
  return docker(['exec', '-i', container, ...psql, '-d', 'docs'], sql).trim();
}

/** The section `targets.database` for that user. */
export function targetFor(user: { username: string; password: string }, parameters = {}): DatabaseTarget {
  const password = new Secret('PASSWORD', user.password);
  return {
    type: 'postgres',
    host: '127.0.0.1',
    port,
    database: 'docs',
    parameters,
    username: user.username,
    databasePassword: password,
  };
}

/** Waits until it listens on TCP: during its initialization it listens on a socket only. */
function waitUntilReady(): void {
  const wait = 'for i in $(seq 300); do pg_isready -q -h 127.0.0.1 -U app -d docs && exit 0; sleep 0.2; done; exit 1';
  docker(['exec', container, 'sh', '-c', wait]);
}

/** Starts a new one and removes it at the end of the test. */
export function startPostgres(t: Test): void {
  const remove = (): void => {
    spawnSync('docker', ['rm', '--force', '--volumes', container], { timeout: 60_000 });
  };
  remove();
  t.teardown(remove);
  const environment = {
    POSTGRES_DB: 'docs',
    POSTGRES_USER: owner.username,
    POSTGRES_PASSWORD: owner.password,
    READER_USER: reader.username,
    READER_PASSWORD: reader.password,
  };
  docker([
    ...['run', '--detach', '--name', container, '--publish', `127.0.0.1:${port}:5432`],
    ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...['--volume', `${resolve('compose/example/database')}:/docker-entrypoint-initdb.d:ro`, image],
    ...['-c', 'fsync=off', '-c', 'max_connections=30'],
  ]);
  waitUntilReady();
}

/** Stops it cleanly and starts it again. */
export function restartPostgres(): void {
  docker(['restart', '--time', '10', container]);
  waitUntilReady();
}

/** Installs a self-signed certificate for `localhost` and returns it. */
export function enableTls(): string {
  const folder = '/var/lib/postgresql/data';
  const make = `openssl req -new -x509 -days 2 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -out ${folder}/server.crt -keyout ${folder}/server.key`;
  docker(['exec', '--user', 'postgres', container, 'sh', '-c', `${make} && chmod 600 ${folder}/server.key`]);
  asOwner('ALTER SYSTEM SET ssl = on; SELECT pg_reload_conf();');
  return docker(['exec', container, 'cat', `${folder}/server.crt`]);
}
