import t from 'tap';
import { isLocalHost, parseBaseUrl } from '../../../src/project/sections/base-url.ts';
import { parseJdbcUrl } from '../../../src/project/sections/jdbc-url.ts';
import { fullConfig, minimalConfig, readConfig } from '../sample-configs.ts';

t.test('a base URL is scheme, host and port', async (t) => {
  for (const [text, baseUrl, host] of [
    ['http://app:3100', 'http://app:3100', 'app'],
    ['http://app:3100/', 'http://app:3100', 'app'],
    ['HTTPS://App.Example:443', 'https://app.example', 'app.example'],
    ['http://my_app:80', 'http://my_app', 'my_app'],
    ['http://[fd00::1]:8080', 'http://[fd00::1]:8080', 'fd00::1'],
    ['http://10.0.0.7', 'http://10.0.0.7', '10.0.0.7'],
  ] as const) {
    t.same(parseBaseUrl(text), { baseUrl, host, droppedPath: '' }, text);
  }
});

t.test('an invalid base URL is reported with the reason', async (t) => {
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

t.test('a path in base_url is dropped with a warning that says where to write it', async (t) => {
  const { config, problems } = readConfig(minimalConfig.replace(':3100', ':3100/api/v2/?x=1#y'));
  t.equal(config?.targets.http.baseUrl, 'http://app:3100');
  t.match(problems, [
    {
      code: 'CONFIG_BASE_URL_PATH',
      severity: 'warning',
      position: { line: 5, column: 15 },
      message: '`/api/v2/?x=1#y` after host and port, which is ignored',
      cure: '`GET ${INGESTION_URL}/api/v2/…`',
    },
  ]);
});

t.test('gRPC has an address of its own, or that of HTTP', async (t) => {
  const grpc = (text: string): string => minimalConfig.replace('targets:', `targets:\n  grpc: { base_url: "${text}" }`);
  t.equal(readConfig(minimalConfig).config?.targets.grpc, undefined);
  const { config, problems } = readConfig(grpc('https://app:50051'));
  t.same(problems, []);
  t.same(config?.targets.grpc, { baseUrl: 'https://app:50051', baseUrlSource: 'grpc' });
  t.match(readConfig(grpc('app:50051')), {
    config: undefined,
    problems: [{ code: 'CONFIG_BASE_URL_INVALID', message: /targets\.grpc\.base_url/ }],
  });
  t.match(readConfig(grpc('http://app:50051/x')).problems, [{ code: 'CONFIG_BASE_URL_PATH' }]);
});

t.test('localhost is a warning with an alternative in a container network', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', '0.0.0.0', 'app.localhost', 'LOCALHOST']) {
    const local = minimalConfig.replace('app:3100', `${host}:3200`);
    t.same(readConfig(local).problems, [], 'without a section `deploy` nothing says that containers are meant');
    const { problems, config } = readConfig(`${local}\ndeploy: {compose_project: shop, network: shop_default}\n`);
    t.match(problems, [{ code: 'CONFIG_ADDRESS_LOCAL', severity: 'warning' }], host);
    t.match(problems[0]?.cure, '`http://<service>:<port>`');
    t.ok(config);
  }
  t.equal(isLocalHost('localhost.example.org'), false);
  t.equal(isLocalHost('1127.0.0.1'), false);
});

t.test('the warning names the command that lists the services, and there is one for the database', async (t) => {
  const { problems } = readConfig(fullConfig.replace('//app:', '//localhost:').replace('//db:', '//127.0.0.1:'));
  t.match(problems[0]?.cure, '`docker compose -p documents ps` lists the services');
  t.match(problems[1], { code: 'CONFIG_ADDRESS_LOCAL', cure: '`jdbc:postgresql://<service>:5432/signing`' });
});

t.test('on the compose tier localhost is an error', async (t) => {
  const local = fullConfig.replace('//app:', '//localhost:').replace('//db:', '//127.0.0.1:');
  const { problems, config } = readConfig(local, {}, { use: 'compose' });
  t.match(problems, [
    { code: 'CONFIG_ADDRESS_LOCAL_REFUSED', severity: 'error', cure: '`http://<service>:<port>`' },
    { code: 'CONFIG_ADDRESS_LOCAL_REFUSED', severity: 'error', cure: '`jdbc:postgresql://<service>:5432/signing`' },
  ]);
  t.equal(config, undefined);
});

t.test('for local use localhost is accepted', async (t) => {
  t.same(readConfig(minimalConfig.replace('app:', 'localhost:'), {}, { use: 'local' }).problemCodes, []);
});

t.test('JDBC URLs are parsed', async (t) => {
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

t.test('invalid JDBC URLs are reported with the reason and a fix', async (t) => {
  for (const [text, problem] of [
    ['postgresql://db/docs', 'does not begin with `jdbc:postgresql:`'],
    ['jdbc:mysql://db/docs', 'is for `mysql`; only PostgreSQL'],
    ['jdbc:postgresql:docs', 'names no host'],
    ['jdbc:postgresql:/', 'names no host'],
    ['jdbc:postgresql:///docs', 'names no host'],
    ['jdbc:postgresql://:5432/docs', 'names no host'],
    ['jdbc:postgresql://a:5432,b:5432/docs', 'names several hosts'],
    ['jdbc:postgresql://fd00::1/docs', 'IPv6 address without'],
    ['jdbc:postgresql://[nonsense]/docs', 'not an IPv6 address'],
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
    ['jdbc:postgresql://me:hunter2@db/docs', 'contains a user name'],
    ['jdbc:postgresql://db/docs?password=hunter2', 'has the parameter `password`'],
    ['jdbc:postgresql://db/docs?ssl=1&user=hunter2', 'has the parameter `user`'],
  ] as const) {
    const parsed = parseJdbcUrl(text);
    t.match(parsed, { problem, cure: /\w/ }, text);
    t.notMatch(JSON.stringify(parsed), 'hunter2');
  }
});

t.test('a parameter called __proto__ is an ordinary parameter', async (t) => {
  const parsed = parseJdbcUrl('jdbc:postgresql://db/docs?__proto__=x');
  t.ok('parameters' in parsed && Object.hasOwn(parsed.parameters, '__proto__'));
});

t.test('an invalid JDBC URL is reported at its position', async (t) => {
  const { problems } = readConfig(fullConfig.replace('db:5433', 'a,b'));
  t.match(problems, [
    { code: 'CONFIG_JDBC_URL_INVALID', position: { line: 8, column: 15 }, cure: 'name the one to read from' },
  ]);
});

t.test('a literal instead of a secret reference is an error with a fix, and is not displayed', async (t) => {
  const { problems } = readConfig(
    fullConfig.replace('${DB_PASSWORD}', 'hunter2').replace('${API_TOKEN}', 'pre-${API_TOKEN}'),
  );
  t.match(problems, [
    {
      code: 'CONFIG_SECRET_LITERAL',
      message: '`targets.database.password` holds the secret itself, and this file is committed',
      cure: 'write `password: ${DB_PASSWORD}` here, put the secret after `DB_PASSWORD=` in .env',
      excerpt: '    password: [redacted]',
    },
    { code: 'CONFIG_SECRET_LITERAL', cure: '`bearer_token: ${API_TOKEN}`', excerpt: '    bearer_token: [redacted]' },
  ]);
});

t.test('a token that is invalid in a header is refused', async (t) => {
  for (const [value, forbiddenPart] of [
    ['"abc\\ndef"', 'a line break'],
    ['"abc\\r\\nX-Evil: 1"', 'a line break'],
    ['"abc def"', 'white space'],
    ['"abc\\tdef"', 'white space'],
    ['tökén', 'a character outside printable ASCII'],
    ['abc\u0001', 'a character outside printable ASCII'],
  ] as const) {
    const { problems, config } = readConfig(fullConfig, {
      envText: `DB_PASSWORD=longenough\nTENANT=acme\nAPI_TOKEN=${value}\n`,
    });
    t.match(
      problems,
      [{ code: 'CONFIG_TOKEN_UNSENDABLE', message: `the token in \`API_TOKEN\` contains ${forbiddenPart}` }],
      value,
    );
    t.equal(config, undefined);
  }
});

t.test('a token that begins with Bearer is refused, because the prefix is added', async (t) => {
  const { problems } = readConfig(fullConfig, {
    envText: 'DB_PASSWORD=longenough\nTENANT=acme\nAPI_TOKEN=Bearer abcdef\n',
  });
  t.match(problems, [{ code: 'CONFIG_TOKEN_PREFIXED' }]);
});
