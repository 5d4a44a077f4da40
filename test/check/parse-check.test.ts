import t from 'tap';
import { kinds } from '../../src/check/kinds.ts';
import { check, parsed } from './samples.ts';

t.test('the example of every kind is a check of that kind', async (t) => {
  for (const kind of kinds) t.equal(check(kind.example).kind, kind.kind);
  t.equal(new Set(kinds.map(({ kind }) => kind)).size, kinds.length);
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
    t.ok(check(text), text);
  }
});

t.test('a slip is answered with the right check', async (t) => {
  const meant = (text: string): string => {
    const [problem] = parsed(text).told;
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
    t.equal(meant(text), right);
    t.ok(check(right), right);
  }
});

t.test('what resembles nothing is answered with all forms', async (t) => {
  for (const text of ['the response is fine', 'header X-Total exists', '', '*', 'x'.repeat(5000)]) {
    const [problem, ...more] = parsed(text).told;
    t.same(more, []);
    t.equal(problem?.[0], 'SCENARIO_CHECK_UNKNOWN');
    for (const { form } of kinds) t.ok(String(problem?.[2]).includes(`\`${form}\``), form);
  }
});

t.test('the keyword is marked where the rest is right', async (t) => {
  t.same(parsed('body has n matches 1').told[0]?.slice(0, 2), ['SCENARIO_CHECK_UNKNOWN', 'matches']);
  t.same(parsed('body has n foo').told[0]?.slice(0, 2), ['SCENARIO_CHECK_UNKNOWN', 'foo']);
});

t.test('a check is compiled once and holds what judging needs', async (t) => {
  const made = check('body has n matching ^1$');
  t.match(made, { kind: 'matches', pattern: { source: '^1$' }, expected: 'a value matching ^1$' });
});
