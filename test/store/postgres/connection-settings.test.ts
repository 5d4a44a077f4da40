/** Settings of a connection: from URLs, files, services and variables, with libpq's meanings, and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  type DatabaseSource,
  type PostgresSettings,
  readParameters,
  readPostgresSettings,
} from '../../../src/store/postgres/connection-settings.ts';
import { listTlsAttempts } from '../../../src/store/postgres/tls-attempts.ts';

const certificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

function fromVariable(url: string): DatabaseSource {
  return { kind: 'variable', name: 'VP_DATABASE', url };
}

function read(url: string, variables: Record<string, string> = {}): PostgresSettings {
  return readPostgresSettings(fromVariable(url), variables);
}

function findFirstPassword(settings: PostgresSettings): Promise<string | undefined> {
  const [host = { host: '', port: 0 }] = settings.hosts;
  return settings.findPassword(host);
}

function createFile(t: Test, name: string, text: string, mode = 0o600): string {
  const file = join(t.testdir(), name);
  writeFileSync(file, text, { mode });
  return file;
}

t.test('a URL names host, port, database, user and password, percent-encoded', async (t) => {
  const settings = read('postgres://a%40b:p%2Fw%3A+%25@db.example:6543/my%20vp?sslmode=verify-full&connect_timeout=3');
  t.match(settings, {
    hosts: [{ host: 'db.example', port: 6543 }],
    user: 'a@b',
    database: 'my vp',
    sslmode: 'verify-full',
    connectTimeoutMs: 3000,
    address: 'db.example:6543',
  });
  t.equal(await findFirstPassword(settings), 'p/w:+%');
});

t.test('several hosts, IPv6 addresses and Unix sockets are named as in libpq', async (t) => {
  const cases: readonly [string, readonly object[]][] = [
    [
      'postgres://u@one,two:5433/d',
      [
        { host: 'one', port: 5432 },
        { host: 'two', port: 5433 },
      ],
    ],
    ['postgres://u@[::1]:5433/d', [{ host: '::1', port: 5433 }]],
    ['postgres://u@%2Frun%2Fpostgresql/d', [{ host: '/run/postgresql', port: 5432 }]],
    ['postgresql:///d?host=/run/postgresql&user=u&port=7', [{ host: '/run/postgresql', port: 7 }]],
    [
      'postgres://u@/d?host=one,two&port=7',
      [
        { host: 'one', port: 7 },
        { host: 'two', port: 7 },
      ],
    ],
    ['postgres://u@/d', [{ host: 'localhost', port: 5432 }]],
  ];
  for (const [url, hosts] of cases) t.same(read(url).hosts, hosts, url);
  t.equal(read('postgres://u@[::1]/d').address, '[::1]:5432');
});

t.test('PG… variables complete a URL, and the URL wins', async (t) => {
  const variables = {
    PGHOST: 'elsewhere',
    PGUSER: 'env',
    PGPASSWORD: 'secret',
    PGDATABASE: 'vp',
    PGSSLMODE: 'require',
  };
  const settings = read('postgres://db', variables);
  t.match(settings, { hosts: [{ host: 'db', port: 5432 }], user: 'env', database: 'vp', sslmode: 'require' });
  t.equal(await findFirstPassword(settings), 'secret');
  t.match(read('postgres://', variables), { hosts: [{ host: 'elsewhere' }] });
});

t.test('a service file completes a URL before the variables do', async (t) => {
  const file = createFile(t, 'services', '# ours\n[other]\nhost=other\n[vp]\nhost = db\ndbname=store\nuser=app\n');
  const settings = read('postgres://?service=vp', { PGSERVICEFILE: file, PGHOST: 'elsewhere' });
  t.match(settings, { hosts: [{ host: 'db' }], database: 'store', user: 'app' });
  t.throws(() => read('postgres://?service=none', { PGSERVICEFILE: file }), { code: 'STORE_DATABASE_FILE' });
  t.throws(() => read('postgres://?service=vp', {}), { code: 'STORE_DATABASE_FILE' });
});

t.test('the password file is matched by host, port, database and user', async (t) => {
  const lines = 'db:5432:other:app:wrong\ndb:*:vp:app:p\\:w\\\\d\nlocalhost:5432:vp:app:socket';
  const HOME = t.testdir({});
  writeFileSync(join(HOME, '.pgpass'), lines, { mode: 0o600 });
  const find = (url: string, variables = {}) => findFirstPassword(read(url, { HOME, ...variables }));
  t.equal(await find('postgres://app@db/vp'), 'p:w\\d');
  t.equal(await find('postgres://app@%2Frun%2Fpostgresql/vp'), 'socket');
  t.equal(await find('postgres://app@elsewhere/vp'), undefined);
  t.equal(await find('postgres://app:own@db/vp'), 'own');
  await t.rejects(find('postgres://app@db/vp', { PGPASSFILE: join(HOME, 'absent') }), { code: 'STORE_DATABASE_FILE' });
});

t.test(
  'a password file that others can read is refused with the fix',
  { skip: process.platform === 'win32' },
  async (t) => {
    const file = createFile(t, 'passwords', '*:*:*:*:p', 0o644);
    await t.rejects(findFirstPassword(read('postgres://u@db/d', { PGPASSFILE: file })), {
      code: 'STORE_DATABASE_FILE',
      cure: `run \`chmod 600 ${file}\``,
    });
  },
);

t.test('a password in an argument list is refused, and never repeated', async (t) => {
  for (const url of ['postgres://u:hunter2@db/d', 'postgres://u@db/d?password=hunter2']) {
    const source = { kind: 'flag', name: '--database', url } as const;
    const error = catchError(() => readPostgresSettings(source, {}));
    t.match(error, { code: 'STORE_DATABASE_PASSWORD_EXPOSED', cure: /--database-file/ });
    t.notMatch(JSON.stringify(error) + String(error), 'hunter2');
  }
  t.match(readPostgresSettings({ kind: 'flag', name: '--database', url: 'postgres://u@db/d' }, {}), { user: 'u' });
});

t.test('a file has the URL, and must be private', async (t) => {
  const file = createFile(t, 'url', 'postgres://u:p@db/d\n');
  const settings = readPostgresSettings({ kind: 'file', file }, {});
  t.equal(await findFirstPassword(settings), 'p');
  if (process.platform !== 'win32') {
    const exposed = createFile(t, 'exposed', 'postgres://u:p@db/d\n', 0o640);
    t.throws(() => readPostgresSettings({ kind: 'file', file: exposed }, {}), { code: 'STORE_DATABASE_FILE' });
  }
  t.throws(() => readPostgresSettings({ kind: 'file', file: `${file}.absent` }, {}), { code: 'STORE_DATABASE_FILE' });
});

t.test('what is wrong with a URL is named without quoting it', async (t) => {
  const cases: readonly [string, RegExp][] = [
    ['host=db dbname=d', /begin with `postgres:/],
    ['jdbc:postgresql://db/d', /JDBC/],
    ['mysql://u:hunter2@db/d', /begin with `postgres:/],
    ['postgres://u:hunter2@x@db/d', /write `@`/],
    ['postgres://u:hunter2/x@db/d', /write `@`/],
    ['postgres://u:hunter2%zz@db/d', /hexadecimal/],
    ['postgres://u:hunter2@db:no/d', /host and port/],
    ['postgres://u:hunter2@db:70000/d', /65535/],
    ['postgres://u:hunter2@a:1,b:2/d?port=1,2,3', /more or fewer ports/],
    ['postgres://u:hunter2@db', /no database/],
    ['postgres://db/d', /no user/],
    ['postgres://u:hunter2@db/d?sslmode=verify', /`sslmode` cannot be used; known are disable, allow/],
    ['postgres://u:hunter2@db/d?ssl=true', /`ssl` is not known/],
    ['postgres://u:hunter2@db/d?target_session_attrs=standby', /`target_session_attrs`/],
    ['postgres://u:hunter2@db/d?sslmode=verify-ca', /sslrootcert/],
    ['postgres://u:hunter2@db/d?sslcert=/x', /need each other/],
  ];
  for (const [url, problem] of cases) {
    const error = catchError(() => read(url));
    t.match(error, { code: 'STORE_DATABASE_URL', message: problem, cure: /postgres:\/\// }, url);
    t.notMatch(JSON.stringify(error) + String(error), 'hunter2');
  }
});

t.test('sslmode has the meaning of libpq', async (t) => {
  const file = createFile(t, 'root.pem', certificate);
  const list = (query: string, host = 'db') => {
    const { sslmode, tls } = read(`postgres://u@db/d?${query}`);
    return listTlsAttempts(sslmode, tls, host);
  };
  const unverified = { rejectUnauthorized: false };
  t.same(list('sslmode=disable'), [false]);
  t.same(list('sslmode=allow'), [false, unverified]);
  t.same(list(''), [unverified, false]);
  t.same(list('sslmode=require'), [unverified]);
  t.same(list('sslmode=verify-full'), [{ rejectUnauthorized: true }]);
  t.same(list('sslmode=verify-full&sslrootcert=system'), [{ rejectUnauthorized: true }]);
  t.same(list(`sslmode=verify-full&sslrootcert=${file}`), [{ rejectUnauthorized: true, ca: certificate }]);
  const [withoutName] = list(`sslmode=verify-ca&sslrootcert=${file}`);
  t.match(withoutName, { rejectUnauthorized: true, ca: certificate, checkServerIdentity: Function });
  t.match(list(`sslmode=require&sslrootcert=${file}`), [{ rejectUnauthorized: true, checkServerIdentity: Function }]);
  t.same(list('sslmode=verify-full', '/run/postgresql'), [false]);
});

t.test('files of TLS must be readable, and be PEM', async (t) => {
  const file = createFile(t, 'text', 'no certificate');
  for (const name of [file, `${file}.absent`])
    t.throws(() => read(`postgres://u@db/d?sslrootcert=${name}`), { code: 'STORE_DATABASE_FILE' });
});

t.test('a direct connection takes what it does not name from the main one', async (t) => {
  const base = readParameters(fromVariable('postgres://u:p@pooler:6432/d?sslmode=require'), {});
  const source = { kind: 'flag', name: '--database-direct', url: 'postgres://db:5432' } as const;
  const settings = readPostgresSettings(source, {}, base);
  t.match(settings, { hosts: [{ host: 'db', port: 5432 }], user: 'u', database: 'd', sslmode: 'require' });
  t.equal(await findFirstPassword(settings), 'p');
});

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
