import { inspect } from 'node:util';
import t from 'tap';
import { fullConfig, minimalConfig, readConfig, sampleEnv } from './sample-configs.ts';

t.test('the smallest config is enough', async (t) => {
  const { config, problemCodes } = readConfig(minimalConfig, { envText: undefined });
  t.same(problemCodes, []);
  t.match(config, { project: { name: 'my-app' }, targets: { http: { baseUrl: 'http://app:3100' } } });
  t.equal(config?.targets.database, undefined);
  t.equal(config?.targets.auth, undefined);
  t.equal(config?.deploy, undefined);
  t.equal(config?.logstore, undefined);
  t.same(config?.secretValues, []);
});

t.test('every key of the specification is read', async (t) => {
  const { config, problemCodes } = readConfig(fullConfig);
  t.same(problemCodes, []);
  t.match(config, {
    project: { name: 'documents' },
    targets: {
      http: { baseUrl: 'http://app:3100', baseUrlSource: 'config' },
      database: { type: 'postgres', host: 'db', port: 5433, database: 'signing', username: 'reader' },
      auth: { type: 'bearer' },
    },
    deploy: { composeProject: 'documents', network: 'documents_default' },
    logstore: {
      logFormat: 'json',
      correlationField: 'reqId',
      levelField: 'severity',
      sagaEvent: { field: 'event_type', value: 'saga' },
    },
    dashboardUrl: 'http://localhost:3000',
  });
  t.same(config?.targets.database?.parameters, { sslmode: 'require' });
  t.equal(config?.targets.database?.databasePassword.reveal(), 's3cret-password');
  t.equal(config?.targets.auth?.bearerToken.reveal(), 'abc.def-123');
});

t.test('a database user that usually owns the database is a warning', async (t) => {
  const codesOf = (user: string) =>
    readConfig(fullConfig.replace('username: reader', `username: ${user}`)).problems.map(({ code }) => code);
  t.same(codesOf('postgres'), ['CONFIG_DATABASE_OWNER']);
  t.same(codesOf('signing'), ['CONFIG_DATABASE_OWNER'], 'named as its database');
  t.same(codesOf('signing_reader'), []);
});

t.test('a config does not print its secrets, but lists them all for redaction', async (t) => {
  const { config } = readConfig(fullConfig);
  const printed = `${inspect(config, { depth: 9 })}${JSON.stringify(config)}${config?.targets.auth?.bearerToken}`;
  t.notMatch(printed, /s3cret-password|abc\.def-123/);
  t.match(printed, 'Secret(API_TOKEN)');
  t.same(config?.secretValues.slice(), ['s3cret-password', 'abc.def-123', 'acme']);
});

t.test('names of the .env are grouped by whether scenarios may use them', async (t) => {
  const { config } = readConfig(fullConfig);
  t.same(config?.names, { variables: ['TENANT'], secrets: ['DB_PASSWORD', 'API_TOKEN'], unlisted: ['OTHER'] });
  t.equal(config?.scenarioVariables.get('TENANT')?.reveal(), 'acme');
});

t.test('error_match must match the whole level', async (t) => {
  const match = readConfig(fullConfig).config?.logstore?.errorMatch;
  t.equal(match?.test('50'), true);
  t.equal(match?.test('150'), false);
  t.equal(match?.test('5'), false);
  t.equal(match?.source, '40|50|60');
});

t.test('a number in place of a text keeps its spelling', async (t) => {
  const text = fullConfig
    .replace('40|50|60', '50')
    .replace('value: saga', 'value: true')
    .replace('name: documents', 'name: 007');
  const { config, problemCodes } = readConfig(text);
  t.same(problemCodes, []);
  t.equal(config?.logstore?.errorMatch?.test('50'), true);
  t.equal(config?.logstore?.sagaEvent?.value, 'true');
  t.equal(config?.project.name, '007');
});

t.test('what tells errors has no default, and is missed with a warning', async (t) => {
  const { config, problems } = readConfig(`${minimalConfig}observability: {logstore: {correlation_field: reqId}}\n`);
  t.match(config?.logstore, { levelField: undefined, errorMatch: undefined, sagaEvent: undefined, services: [] });
  t.match(problems, [
    {
      code: 'CONFIG_LEVELS_UNKNOWN',
      severity: 'warning',
      message: '`observability.logstore.level_field` and `observability.logstore.error_match`',
      cure: '`level_field: level` and `error_match: 40|50|60`',
    },
  ]);
  const services = fullConfig.replace('log_format: json', 'services: [app, worker]');
  t.same(readConfig(services).config?.logstore?.services, ['app', 'worker']);
});

t.test('references are filled in anywhere, also within a text', async (t) => {
  const text = minimalConfig.replace('http://app:3100', 'http://${HOST}:${PORT}');
  const { config, problemCodes } = readConfig(text, { envText: 'HOST=app\nPORT=8080\n' });
  t.same(problemCodes, []);
  t.equal(config?.targets.http.baseUrl, 'http://app:8080');
  t.same(config?.secretValues, [], 'only secrets are hidden');
});

t.test('all problems are reported at once, in the order of the files', async (t) => {
  const { config, problemCodes } = readConfig(
    `project:
  name:
targets:
  http:
    base_url: ftp://app
  auth:
    type: basic
    bearer_token: literal
colour: red
`,
    { envText: 'no equals sign\n' },
  );
  t.equal(config, undefined);
  t.same(problemCodes, [
    'CONFIG_VALUE_EMPTY 2:8',
    'CONFIG_BASE_URL_INVALID 5:15',
    'CONFIG_VALUE_UNSUPPORTED 7:11',
    'CONFIG_SECRET_LITERAL 8:19',
    'CONFIG_KEY_UNKNOWN 9:1',
    'CONFIG_ENV_LINE_INVALID 1:1',
  ]);
});

t.test('warnings do not invalidate a config', async (t) => {
  const { config, problemCodes } = readConfig(`${minimalConfig}colour: red\n`);
  t.same(problemCodes, ['CONFIG_KEY_UNKNOWN 6:1']);
  t.ok(config);
});

t.test('no problem repeats a secret', async (t) => {
  const secrets = { envText: 'API_TOKEN="Bearer abc\\ndef"\nDB_PASSWORD=x y\nTENANT=z\n' };
  const { problems } = readConfig(
    fullConfig
      .replace('${DB_PASSWORD}', 'hunter2')
      .replace('//app:3100', '//user:hunter2@app:3100')
      .replace('?sslmode', '?password=hunter2&sslmode'),
    secrets,
  );
  t.ok(problems.length >= 4);
  t.notMatch(JSON.stringify(problems), /hunter2|Bearer abc|abc/);
});

t.test('an empty file is reported as missing required keys', async (t) => {
  for (const text of ['', '# nothing\n', '{}\n']) {
    const { problemCodes, problems } = readConfig(text);
    t.same(problemCodes, ['CONFIG_KEY_MISSING 1:1', 'CONFIG_KEY_MISSING 1:1'], JSON.stringify(text));
    t.match(problems[1]?.cure, '`targets: {http: {base_url: "http://app:3100"}}`');
  }
});

t.test('a file that is a list or a text is reported', async (t) => {
  t.same(readConfig('- a\n- b\n').problemCodes, ['CONFIG_VALUE_TYPE 1:1']);
  t.same(readConfig('hello\n').problemCodes, ['CONFIG_VALUE_TYPE 1:1']);
});

t.test('only the compose tier requires deploy', async (t) => {
  const { problemCodes, problems } = readConfig(minimalConfig, {}, { use: 'compose' });
  t.same(problemCodes, ['CONFIG_KEY_MISSING 1:1', 'CONFIG_KEY_MISSING 1:1']);
  t.match(problems[0]?.message, '`deploy.compose_project` is missing, and the compose tier needs it');
  t.match(problems[1]?.cure, '`deploy: {network: "my-app_default"}`');
  t.same(readConfig(fullConfig, {}, { use: 'compose' }).problemCodes, []);
  t.same(readConfig(`${minimalConfig}deploy: {network: x}\n`).problemCodes, ['CONFIG_KEY_MISSING 6:1']);
});

t.test('a base URL from the command line replaces the file’s, which may then be missing', async (t) => {
  const baseUrl = 'http://localhost:3200';
  t.equal(readConfig(minimalConfig, {}, { baseUrl, use: 'local' }).config?.targets.http.baseUrl, baseUrl);
  t.equal(readConfig(minimalConfig, {}, { baseUrl, use: 'local' }).config?.targets.http.baseUrlSource, 'flag');
  const without = readConfig('project: {name: a}\n', {}, { baseUrl });
  t.same(without.problemCodes, ['CONFIG_KEY_MISSING 1:1'].slice(1));
  t.equal(without.config?.targets.http.baseUrl, baseUrl);
  for (const text of ['localhost:3200', ' 3200', ':3200'])
    t.match(readConfig(minimalConfig, {}, { baseUrl: text }).config?.targets.http.baseUrl, /^http:.*:3200$/, text);
  const wrong = readConfig(minimalConfig, {}, { baseUrl: 'ftp://localhost:3200' });
  t.same(wrong.problemCodes, ['CONFIG_BASE_URL_INVALID']);
  t.equal(wrong.problems[0]?.file, '--base-url');
  t.same(readConfig(minimalConfig, {}, { baseUrl: `${baseUrl}/api` }).problemCodes, ['CONFIG_BASE_URL_PATH']);
});

t.test('an address for gRPC from the command line replaces that of the file', async (t) => {
  const grpcBaseUrl = 'http://localhost:50051';
  const text = minimalConfig.replace('targets:', 'targets:\n  grpc: { base_url: "http://app:50051" }');
  for (const each of [text, minimalConfig])
    t.same(readConfig(each, {}, { grpcBaseUrl, use: 'local' }).config?.targets.grpc, {
      baseUrl: grpcBaseUrl,
      baseUrlSource: 'grpc_flag',
    });
  const { problems } = readConfig(text, {}, { grpcBaseUrl: 'grpc://localhost:50051' });
  t.match(problems, [{ code: 'CONFIG_BASE_URL_INVALID', file: '--grpc-base-url', cure: /localhost:50051/ }]);
});

t.test('problems name files as the caller does', async (t) => {
  const { problems } = readConfig('a: 1\n', {
    configFile: 'p/platform-config.yaml',
    envFile: 'p/.env',
    envText: 'x\n',
  });
  t.same([...new Set(problems.map(({ file }) => file))], ['p/platform-config.yaml', 'p/.env']);
});

t.test('parsing the same texts twice gives the same result', async (t) => {
  const text = fullConfig.replace('postgres', 'mysql');
  t.same(readConfig(text, { envText: sampleEnv }).problemCodes, readConfig(text, { envText: sampleEnv }).problemCodes);
});
