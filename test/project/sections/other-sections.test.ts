import t from 'tap';
import { fullConfig, minimalConfig, readConfig } from '../sample-configs.ts';

t.test('a name missing in .env is reported with a suggestion', async (t) => {
  const { problems } = readConfig(fullConfig.replace('${API_TOKEN}', '${API_TOKN}'));
  t.match(problems, [
    {
      code: 'CONFIG_VARIABLE_UNKNOWN',
      position: { line: 13, column: 19 },
      message: '`API_TOKN` is not in .env',
      cure: 'add a line `API_TOKN=<value>` there, or did you mean `API_TOKEN`',
    },
  ]);
  const { problems: far } = readConfig(fullConfig.replace('${API_TOKEN}', '${SOMETHING_ELSE}'));
  t.notMatch(far[0]?.cure, 'did you mean');
});

t.test('a missing .env is reported once, at the first name that needs it', async (t) => {
  const { problemCodes, problems } = readConfig(fullConfig, { envText: undefined });
  t.same(problemCodes, ['CONFIG_ENV_MISSING 10:15']);
  t.match(problems[0], {
    message: 'there is no .env, and `targets.database.password` needs `DB_PASSWORD` from it',
    cure: '`DB_PASSWORD=<value>`',
  });
});

t.test('after an unreadable .env no name is reported as missing', async (t) => {
  t.same(readConfig(fullConfig, { envText: undefined, envUnreadable: true }).problemCodes, []);
});

t.test('a name without a value is reported', async (t) => {
  t.match(readConfig(fullConfig, { envText: 'DB_PASSWORD=\nAPI_TOKEN=abcdef\nTENANT=acme\n' }).problems, [
    { code: 'CONFIG_VARIABLE_EMPTY', message: '`DB_PASSWORD` has no value in .env' },
  ]);
});

t.test('a malformed reference is reported', async (t) => {
  for (const text of ['${}', '${9X}', '${A-B}', '${OPEN', '${ A }']) {
    const { problems } = readConfig(minimalConfig.replace('my-app', `"${text}"`));
    t.match(problems, [{ code: 'CONFIG_REFERENCE_INVALID', position: { line: 2, column: 9 } }], text);
  }
  t.equal(readConfig(minimalConfig.replace('my-app', '"$A {B} $"')).config?.project.name, '$A {B} $');
});

t.test('scenarios may not use names of targets', async (t) => {
  const { problems } = readConfig(fullConfig.replace('[TENANT]', '[TENANT, API_TOKEN, DB_PASSWORD]'));
  t.match(problems, [
    {
      code: 'CONFIG_VARIABLE_REFUSED',
      message: '`scenarios.variables` lists `API_TOKEN`, which `targets.auth.bearer_token` uses',
    },
    { code: 'CONFIG_VARIABLE_REFUSED', message: '`targets.database.password`' },
  ]);
});

t.test('reserved names of scenarios are refused', async (t) => {
  const { problems } = readConfig(fullConfig.replace('[TENANT]', '[INGESTION_URL, correlation_id]'));
  t.match(problems, [{ code: 'CONFIG_VARIABLE_RESERVED' }, { code: 'CONFIG_VARIABLE_RESERVED' }]);
});

t.test('each listed variable must be a name and exist', async (t) => {
  const { problems } = readConfig(
    fullConfig.replace('[TENANT]', '\n    - TENANT\n    - ${TENANT}\n    - NOPE\n    - [x]'),
  );
  t.match(problems, [
    { code: 'CONFIG_VALUE_INVALID', position: { line: 31, column: 7 }, message: '`${TENANT}`, not a name' },
    { code: 'CONFIG_VARIABLE_UNKNOWN', position: { line: 32, column: 7 } },
    { code: 'CONFIG_VALUE_TYPE', position: { line: 33, column: 7 } },
  ]);
});

t.test('a value too short to be redacted is a warning', async (t) => {
  const { problems, config } = readConfig(fullConfig, {
    envText: 'DB_PASSWORD=longenough\nAPI_TOKEN=abcdef\nTENANT=a\n',
  });
  t.match(problems, [{ code: 'CONFIG_SECRET_SHORT', severity: 'warning', message: '`TENANT` has fewer than 4' }]);
  t.ok(config);
});

t.test('error_match must be a valid RE2 pattern', async (t) => {
  for (const pattern of ['(40', '40)|(50', '"(?=4)"', '"(a)\\\\1"', '"[z-a]"', '"*"']) {
    const { problems } = readConfig(fullConfig.replace('40|50|60', pattern));
    t.match(problems, [{ code: 'CONFIG_PATTERN_INVALID', position: { line: 22, column: 18 } }], pattern);
  }
  const match = readConfig(fullConfig.replace('40|50|60', '"(?i)error|fatal"')).config?.logstore?.errorMatch;
  t.same(
    ['ERROR', 'fatal', 'errors'].map((level) => match?.test(level)),
    [true, true, false],
  );
});

t.test('a pattern that would hang other engines does not', async (t) => {
  const match = readConfig(fullConfig.replace('40|50|60', '(a+)+')).config?.logstore?.errorMatch;
  t.equal(match?.test(`${'a'.repeat(50_000)}b`), false);
});

t.test('the dashboard address must be a URL', async (t) => {
  t.match(readConfig(fullConfig.replace('http://localhost:3000', 'localhost:3000')).problems, [
    {
      code: 'CONFIG_VALUE_INVALID',
      message: '`observability.dashboard.public_url.compose` is not an http or https address',
    },
  ]);
});

t.test('the version of the target is a header, or a header or field of a path', async (t) => {
  const read = (version: string) => readConfig(`${minimalConfig}observability: {version: ${version}}\n`, {}, {});
  t.same(read('{header: X-Build}').config?.targetVersion, {
    path: undefined,
    source: { kind: 'header', name: 'X-Build' },
  });
  t.same(read('{path: /health, field: build.version}').config?.targetVersion, {
    path: '/health',
    source: { kind: 'field', name: 'build.version' },
  });
  t.equal(readConfig(minimalConfig).config?.targetVersion, undefined);
  for (const wrong of [
    '{path: /health}',
    '{path: /health, field: a, header: X-A}',
    '{field: a}',
    '{header: "X A"}',
    '{path: "health", field: a}',
  ]) {
    const { config, problems } = read(wrong);
    t.equal(config, undefined, wrong);
    t.match(problems.map(({ message }) => message).join(), /observability\.version/, wrong);
  }
});
