import t from 'tap';
import { isLocalHost, parseBaseUrl } from '../../src/project/base-url.ts';
import { parseJdbcUrl } from '../../src/project/jdbc-url.ts';
import { read, smallest, whole } from './samples.ts';

t.test('a base URL is scheme, host and port', async (t) => {
  for (const [text, baseUrl, host] of [
    ['http://app:3100', 'http://app:3100', 'app'],
    ['http://app:3100/', 'http://app:3100', 'app'],
    ['HTTPS://App.Example:443', 'https://app.example', 'app.example'],
    ['http://my_app:80', 'http://my_app', 'my_app'],
    ['http://[fd00::1]:8080', 'http://[fd00::1]:8080', 'fd00::1'],
    ['http://10.0.0.7', 'http://10.0.0.7', '10.0.0.7'],
  ] as const) {
    t.same(parseBaseUrl(text), { baseUrl, host, dropped: '' }, text);
  }
});

t.test('what is no such address says why', async (t) => {
  for (const [text, problem] of [
    ['app:3100', 'has no scheme'],
    ['//app:3100', 'has no scheme'],
    ['http:app', 'has no scheme'],
    ['ftp://app', 'the scheme `ftp`'],
    ['jdbc:postgresql://db/x', 'has no scheme'],
    ['http://', 'no usable host'],
    ['http://app:99999', 'no usable host and port'],
    ['http://app:abc', 'no usable host and port'],
    ['http://my app', 'a space'],
    ['http:\\\\app', 'has no scheme'],
    ['http://app\\x', 'a backslash'],
    ['http://user:hunter2@app', 'a user name or password'],
  ] as const) {
    const parsed = parseBaseUrl(text);
    t.match(parsed, { problem }, text);
    t.notMatch(JSON.stringify(parsed), 'hunter2');
  }
});

t.test('a path in base_url is dropped with a warning that says where it belongs', async (t) => {
  const { config, problems } = read(smallest.replace(':3100', ':3100/api/v2/?x=1#y'));
  t.equal(config?.targets.http.baseUrl, 'http://app:3100');
  t.match(problems, [
    {
      code: 'CONFIG_BASE_URL_PATH',
      severity: 'warning',
      spot: { line: 5, column: 15 },
      message: '`/api/v2/?x=1#y` behind host and port, which is dropped',
      cure: '`GET ${INGESTION_URL}/api/v2/…`',
    },
  ]);
});

t.test('localhost is a warning that says what to write, where a container network is meant', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', '0.0.0.0', 'app.localhost', 'LOCALHOST']) {
    const { problems, config } = read(smallest.replace('app:3100', `${host}:3200`));
    t.match(problems, [{ code: 'CONFIG_ADDRESS_LOCAL', severity: 'warning' }], host);
    t.match(problems[0]?.cure, '`http://<service>:<port>`');
    t.ok(config);
  }
  t.equal(isLocalHost('localhost.example.org'), false);
  t.equal(isLocalHost('1127.0.0.1'), false);
});

t.test('the warning names the command that lists the services, and the database has its own', async (t) => {
  const { problems } = read(whole.replace('//app:', '//localhost:').replace('//db:', '//127.0.0.1:'));
  t.match(problems[0]?.cure, '`docker compose -p documents ps` lists the services');
  t.match(problems[1], { code: 'CONFIG_ADDRESS_LOCAL', cure: '`jdbc:postgresql://<service>:5432/signing`' });
});

t.test('for local use localhost is right', async (t) => {
  t.same(read(smallest.replace('app:', 'localhost:'), {}, { use: 'local' }).told, []);
});

t.test('JDBC URLs are read', async (t) => {
  for (const [text, host, port, database, parameters] of [
    ['jdbc:postgresql://db:5433/docs', 'db', 5433, 'docs', {}],
    ['jdbc:postgresql://db/docs', 'db', 5432, 'docs', {}],
    ['JDBC:PostgreSQL://db/docs', 'db', 5432, 'docs', {}],
    ['jdbc:postgresql://[fd00::1]:5432/docs', 'fd00::1', 5432, 'docs', {}],
    ['jdbc:postgresql://[::1]/docs', '::1', 5432, 'docs', {}],
    [
      'jdbc:postgresql://db/my%20docs?sslmode=require&currentSchema=a%2Cb',
      'db',
      5432,
      'my docs',
      { sslmode: 'require', currentSchema: 'a,b' },
    ],
    ['jdbc:postgresql://db/docs?', 'db', 5432, 'docs', {}],
    ['jdbc:postgresql://db/docs?ssl', 'db', 5432, 'docs', { ssl: '' }],
    ['jdbc:postgresql://db/docs?a=b=c', 'db', 5432, 'docs', { a: 'b=c' }],
  ] as const) {
    t.same(parseJdbcUrl(text), { host, port, database, parameters }, text);
  }
});

t.test('JDBC URLs that cannot be used say why and what to write', async (t) => {
  for (const [text, problem] of [
    ['postgresql://db/docs', 'does not begin with `jdbc:postgresql:`'],
    ['jdbc:mysql://db/docs', 'is for `mysql`; only PostgreSQL'],
    ['jdbc:postgresql:docs', 'names no host'],
    ['jdbc:postgresql:/', 'names no host'],
    ['jdbc:postgresql:///docs', 'names no host'],
    ['jdbc:postgresql://:5432/docs', 'names no host'],
    ['jdbc:postgresql://a:5432,b:5432/docs', 'names several hosts'],
    ['jdbc:postgresql://fd00::1/docs', 'IPv6 address without'],
    ['jdbc:postgresql://[nonsense]/docs', 'no IPv6 address'],
    ['jdbc:postgresql://[]/docs', 'names no host'],
    ['jdbc:postgresql://db:0/docs', 'port that is not a number'],
    ['jdbc:postgresql://db:65536/docs', 'port that is not a number'],
    ['jdbc:postgresql://db:x/docs', 'port that is not a number'],
    ['jdbc:postgresql://db', 'names no database'],
    ['jdbc:postgresql://db/', 'names no database'],
    ['jdbc:postgresql://db/a/b', 'database name that cannot be read'],
    ['jdbc:postgresql://db/%zz', 'database name that cannot be read'],
    ['jdbc:postgresql://db/docs?x=%zz', 'parameters that cannot be read'],
    ['jdbc:postgresql://db/docs?=1', 'parameters that cannot be read'],
    ['jdbc:postgresql://db/do cs', 'white space'],
    ['jdbc:postgresql://me:hunter2@db/docs', 'has a user name in it'],
    ['jdbc:postgresql://db/docs?password=hunter2', 'has the parameter `password`'],
    ['jdbc:postgresql://db/docs?ssl=1&user=hunter2', 'has the parameter `user`'],
  ] as const) {
    const parsed = parseJdbcUrl(text);
    t.match(parsed, { problem, cure: /\w/ }, text);
    t.notMatch(JSON.stringify(parsed), 'hunter2');
  }
});

t.test('a parameter called __proto__ is a parameter', async (t) => {
  const parsed = parseJdbcUrl('jdbc:postgresql://db/docs?__proto__=x');
  t.ok('parameters' in parsed && Object.hasOwn(parsed.parameters, '__proto__'));
});

t.test('a bad JDBC URL is told at its place', async (t) => {
  const { problems } = read(whole.replace('db:5433', 'a,b'));
  t.match(problems, [
    { code: 'CONFIG_JDBC_URL_INVALID', spot: { line: 8, column: 15 }, cure: 'name the one to read from' },
  ]);
});

t.test('a literal where a secret belongs is an error with the cure, and is not shown', async (t) => {
  const { problems } = read(whole.replace('${DB_PASSWORD}', 'hunter2').replace('${API_TOKEN}', 'pre-${API_TOKEN}'));
  t.match(problems, [
    {
      code: 'CONFIG_SECRET_LITERAL',
      message: '`targets.database.password` holds the secret itself, and this file is committed',
      cure: 'write `password: ${DB_PASSWORD}` here, the secret behind `DB_PASSWORD=` in .env',
      excerpt: '    password: [redacted]',
    },
    { code: 'CONFIG_SECRET_LITERAL', cure: '`bearer_token: ${API_TOKEN}`', excerpt: '    bearer_token: [redacted]' },
  ]);
});

t.test('a token that no header can carry is refused', async (t) => {
  for (const [value, what] of [
    ['"abc\\ndef"', 'a line break'],
    ['"abc\\r\\nX-Evil: 1"', 'a line break'],
    ['"abc def"', 'white space'],
    ['"abc\\tdef"', 'white space'],
    ['tökén', 'a character outside printable ASCII'],
    ['abc\u0001', 'a character outside printable ASCII'],
  ] as const) {
    const { problems, config } = read(whole, { envText: `DB_PASSWORD=longenough\nTENANT=acme\nAPI_TOKEN=${value}\n` });
    t.match(
      problems,
      [{ code: 'CONFIG_TOKEN_UNSENDABLE', message: `the token in \`API_TOKEN\` holds ${what}` }],
      value,
    );
    t.equal(config, undefined);
  }
});

t.test('a token that begins with Bearer is refused, because that is added', async (t) => {
  const { problems } = read(whole, { envText: 'DB_PASSWORD=longenough\nTENANT=acme\nAPI_TOKEN=Bearer abcdef\n' });
  t.match(problems, [{ code: 'CONFIG_TOKEN_PREFIXED' }]);
});
