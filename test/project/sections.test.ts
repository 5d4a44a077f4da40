import t from 'tap';
import { read, smallest, whole } from './samples.ts';

t.test('a name that .env does not have is told with the one that may be meant', async (t) => {
  const { problems } = read(whole.replace('${API_TOKEN}', '${API_TOKN}'));
  t.match(problems, [
    {
      code: 'CONFIG_VARIABLE_UNKNOWN',
      spot: { line: 13, column: 19 },
      message: '`API_TOKN` is not in .env',
      cure: 'add a line `API_TOKN=<value>` there, or did you mean `API_TOKEN`',
    },
  ]);
  const { problems: far } = read(whole.replace('${API_TOKEN}', '${SOMETHING_ELSE}'));
  t.notMatch(far[0]?.cure, 'did you mean');
});

t.test('without a .env the first name that needs it says so, once', async (t) => {
  const { told, problems } = read(whole, { envText: undefined });
  t.same(told, ['CONFIG_ENV_MISSING 10:15']);
  t.match(problems[0], {
    message: 'there is no .env, and `targets.database.password` needs `DB_PASSWORD` from it',
    cure: '`DB_PASSWORD=<value>`',
  });
});

t.test('after an unreadable .env no name is told to be missing', async (t) => {
  t.same(read(whole, { envText: undefined, envUnreadable: true }).told, []);
});

t.test('a name without a value is told', async (t) => {
  t.match(read(whole, { envText: 'DB_PASSWORD=\nAPI_TOKEN=abcdef\nTENANT=acme\n' }).problems, [
    { code: 'CONFIG_VARIABLE_EMPTY', message: '`DB_PASSWORD` has no value in .env' },
  ]);
});

t.test('a reference that is none is told', async (t) => {
  for (const text of ['${}', '${9X}', '${A-B}', '${OPEN', '${ A }']) {
    const { problems } = read(smallest.replace('my-app', `"${text}"`));
    t.match(problems, [{ code: 'CONFIG_REFERENCE_INVALID', spot: { line: 2, column: 9 } }], text);
  }
  t.equal(read(smallest.replace('my-app', '"$A {B} $"')).config?.project.name, '$A {B} $');
});

t.test('a scenario may not be given what targets use', async (t) => {
  const { problems } = read(whole.replace('[TENANT]', '[TENANT, API_TOKEN, DB_PASSWORD]'));
  t.match(problems, [
    {
      code: 'CONFIG_VARIABLE_REFUSED',
      message: '`scenarios.variables` lists `API_TOKEN`, which `targets.auth.bearer_token` uses',
    },
    { code: 'CONFIG_VARIABLE_REFUSED', message: '`targets.database.password`' },
  ]);
});

t.test('names that scenarios have already are refused', async (t) => {
  const { problems } = read(whole.replace('[TENANT]', '[INGESTION_URL, correlation_id]'));
  t.match(problems, [{ code: 'CONFIG_VARIABLE_RESERVED' }, { code: 'CONFIG_VARIABLE_RESERVED' }]);
});

t.test('each listed variable must be a name, and be there', async (t) => {
  const { problems } = read(whole.replace('[TENANT]', '\n    - TENANT\n    - ${TENANT}\n    - NOPE\n    - [x]'));
  t.match(problems, [
    { code: 'CONFIG_VALUE_INVALID', spot: { line: 31, column: 7 }, message: '`${TENANT}`, not a name' },
    { code: 'CONFIG_VARIABLE_UNKNOWN', spot: { line: 32, column: 7 } },
    { code: 'CONFIG_VALUE_TYPE', spot: { line: 33, column: 7 } },
  ]);
});

t.test('a value too short to be hidden well is a warning', async (t) => {
  const { problems, config } = read(whole, { envText: 'DB_PASSWORD=longenough\nAPI_TOKEN=abcdef\nTENANT=a\n' });
  t.match(problems, [{ code: 'CONFIG_SECRET_SHORT', severity: 'warning', message: '`TENANT` has fewer than 4' }]);
  t.ok(config);
});

t.test('error_match is held to RE2', async (t) => {
  for (const pattern of ['(40', '40)|(50', '"(?=4)"', '"(a)\\\\1"', '"[z-a]"', '"*"']) {
    const { problems } = read(whole.replace('40|50|60', pattern));
    t.match(problems, [{ code: 'CONFIG_PATTERN_INVALID', spot: { line: 22, column: 18 } }], pattern);
  }
  const match = read(whole.replace('40|50|60', '"(?i)error|fatal"')).config?.logstore?.errorMatch;
  t.same(
    ['ERROR', 'fatal', 'errors'].map((level) => match?.test(level)),
    [true, true, false],
  );
});

t.test('a pattern that would hang other engines does not', async (t) => {
  const match = read(whole.replace('40|50|60', '(a+)+')).config?.logstore?.errorMatch;
  t.equal(match?.test(`${'a'.repeat(50_000)}b`), false);
});

t.test('the dashboard address must be one', async (t) => {
  t.match(read(whole.replace('http://localhost:3000', 'localhost:3000')).problems, [
    {
      code: 'CONFIG_VALUE_INVALID',
      message: '`observability.dashboard.public_url.compose` is not an http or https address',
    },
  ]);
});
