import t from 'tap';
import { checkKinds } from '../../src/check/kinds.ts';
import { parse, parseValid } from './check-fixtures.ts';

t.test('the example of every kind is a check of that kind', async (t) => {
  for (const kind of checkKinds) t.equal(parseValid(kind.example).kind, kind.kind);
  t.equal(new Set(checkKinds.map(({ kind }) => kind)).size, checkKinds.length);
});

t.test('the checks of the specification can be read', async (t) => {
  for (const text of [
    'status=200',
    'body has data',
    'body has count matching ^[0-9]+$',
    'body has currentPage matching ^[1-9][0-9]*$',
    'body has database.status equals ok',
    'body has data containing x',
  ]) {
    t.ok(parseValid(text), text);
  }
});

t.test('a malformed check is answered with the correct one', async (t) => {
  const correct = (text: string): string => {
    const [problem] = parse(text).problems;
    t.equal(problem?.[0], 'SCENARIO_CHECK_UNKNOWN', text);
    return /^did you mean `(.*)`\?$/.exec(String(problem?.[2]))?.[1] ?? String(problem?.[2]);
  };
  const slips: Readonly<Record<string, string>> = {
    'status 200': 'status=200',
    'Status=200': 'status=200',
    'status: 404': 'status=404',
    'status == 200': 'status=200',
    'status code is 201': 'status=201',
    'HTTP status 200': 'status=200',
    'staus=200': 'status=200',
    'sttus=200': 'status=200',
    'Statsu code: 404': 'status=404',
    'Body has data': 'body has data',
    'the body has data': 'body has data',
    'body have data': 'body has data',
    'boddy hsa data': 'body has data',
    'response body has count matches ^1$': 'body has count matching ^1$',
    'body has data exists': 'body has data',
    'body has data is present': 'body has data',
    'body has n equal 1': 'body has n equals 1',
    'body has n = 1': 'body has n equals 1',
    'body has n == 1': 'body has n equals 1',
    'body has n is 1': 'body has n equals 1',
    'body has n contains x y': 'body has n containing x y',
    'body has n match ^1$': 'body has n matching ^1$',
    'body has n =~ ^1$': 'body has n matching ^1$',
    'body has n MATCHING ^1$': 'body has n matching ^1$',
    'body has n matchign ^1$': 'body has n matching ^1$',
  };
  for (const [text, right] of Object.entries(slips)) {
    t.equal(correct(text), right);
    t.ok(parseValid(right), right);
  }
});

t.test('a text that resembles no check is answered with all forms', async (t) => {
  for (const text of ['the response is fine', 'trailer X-Total exists', '', '*', 'x'.repeat(5000)]) {
    const [problem, ...more] = parse(text).problems;
    t.same(more, []);
    t.equal(problem?.[0], 'SCENARIO_CHECK_UNKNOWN');
    for (const { form, kind } of checkKinds) {
      t.equal(String(problem?.[2]).includes(`\`${form}\``), kind !== 'compares', form);
      t.ok(String(parse(text, 'allowed').problems[0]?.[2]).includes(`\`${form}\``), form);
    }
  }
});

t.test('a text that begins like a check is answered with the forms that begin so', async (t) => {
  const cureOf = (text: string) => String(parse(text).problems[0]?.[2]);
  t.equal(cureOf('log warnings=0'), 'a check is one of: `log lines=<n>`, `log has <field> [<test>]`');
  t.equal(cureOf('body sorted'), 'a check is one of: `body sorted by <path> [desc]`');
  t.equal(cureOf('body unique'), 'a check is one of: `body unique <path>`');
});

t.test('a malformed check of the log or the database is answered with the correct one', async (t) => {
  const slips: Readonly<Record<string, string>> = {
    'log no errors': 'log errors=0',
    'no log errors': 'log errors=0',
    'no errors in the log': 'log errors=0',
    'log has no errors': 'log errors=0',
    'log error = 0': 'log errors=0',
    'log errors is 0': 'log errors=0',
    'logs lines at least 1': 'log lines>=1',
    'log line count >= 1': 'log lines>=1',
    'the log lines>=1': 'log lines>=1',
    'Log errors=0': 'log errors=0',
    'log saga events >= 1': 'log saga_events>=1',
    'log contains saga': 'log saga_events>=1',
    'log contains disk full': 'log has message containing disk full',
    'log line has level equals error': 'log has level equals error',
    'log has level = error': 'log has level equals error',
    'log has ms => 5': 'log has ms >= 5',
    'db row count = 1': 'db rows=1',
    'database rows=1': 'db rows=1',
    'databse rows = 1': 'db rows=1',
    'db count is 3': 'db rows=3',
    'db rows == 1': 'db rows=1',
    'db rows 1': 'db rows=1',
    'db rows at most 4': 'db rows<=4',
    'db rows <> 0': 'db rows!=0',
    'db returns 1 row': 'db rows=1',
    'db has at least 2 rows': 'db rows>=2',
    'db no rows': 'db rows=0',
    'db is empty': 'db rows=0',
    'db documents row count = 1': 'db documents rows=1',
    'database has status equals ok': 'db has status equals ok',
    'db has status is ok': 'db has status equals ok',
    'db documents has status matches ^a': 'db documents has status matching ^a',
    'db has status is not null': 'db has status',
  };
  for (const [text, right] of Object.entries(slips)) {
    const [problem] = parse(text, 'allowed').problems;
    t.equal(problem?.[0], 'SCENARIO_CHECK_UNKNOWN', text);
    t.equal(problem?.[2], `did you mean \`${right}\`?`, text);
    t.ok(parseValid(right), right);
  }
});

t.test('an unknown keyword is marked where the rest is correct', async (t) => {
  t.same(parse('body has n matches 1').problems[0]?.slice(0, 2), ['SCENARIO_CHECK_UNKNOWN', 'matches']);
  t.same(parse('body has n foo').problems[0]?.slice(0, 2), ['SCENARIO_CHECK_UNKNOWN', 'foo']);
});

t.test('a check is compiled once and holds what judging needs', async (t) => {
  const parsed = parseValid('body has n matching ^1$');
  t.match(parsed, { kind: 'matches', pattern: { source: '^1$' }, expected: 'a value matching ^1$' });
});

t.test('a check that resembles many forms is refused in linear time', async (t) => {
  const quotedKeys = '["a"]'.repeat(20_000);
  const spaces = ' '.repeat(100_000);
  for (const text of [
    `body ${quotedKeys}`,
    `body ${quotedKeys} lengt`,
    `body sorted by ${quotedKeys} x y`,
    `body unique ${quotedKeys} x`,
    `body a${spaces}b`,
    `body a${spaces}lengt`,
    `body ${'(a + '.repeat(20_000)}`,
    `header ${'a '.repeat(50_000)}`,
    `cookie ${'a; '.repeat(30_000)}`,
    `redirect to ${spaces}${spaces}x y`,
    `duration <= ${'9'.repeat(100_000)}`,
  ]) {
    // Exponential or quadratic, each of them would take minutes.
    t.equal(parse(text, 'allowed').check, undefined, text.slice(0, 30));
  }
});
