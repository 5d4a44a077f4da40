import t from 'tap';
import { judge } from '../../../src/judge/judge.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import { WorkBudget } from '../../../src/judge/prove/work-budget.ts';
import { createEvidence, createFailure, createScenario } from '../evidence-fixtures.ts';
import { createProof, getOnlyCheck, getVerdicts } from './proof-fixtures.ts';

t.test('a check that accepts every value never fails, and gets a suggestion', async (t) => {
  const { checks } = createProof(['status=200', 'body has count matching .*'], { count: 3 });
  t.match(checks[0], { verdict: 'proven', line: 18, example: 'status 500 instead of 200', advice: undefined });
  t.match(checks[1], { verdict: 'never_fails', line: 19, noticed: 1, example: '`count` is gone', coveredBy: [] });
  t.equal(
    checks[1]?.advice,
    'whatever `count` is, it holds: it says no more than `body has count`; write `body has count matching ^[0-9]+$`',
  );
});

t.test('patterns that match everything are found, whatever the type of the value', async (t) => {
  for (const body of [{ x: 3 }, { x: 'a text' }, { x: true }, { x: null }, { x: [1] }, { x: {} }, { x: -1.5 }]) {
    for (const check of ['matching .*', 'matching ^', 'matching a*', 'matching $|^x']) {
      t.same(
        getVerdicts(createProof([`body has x ${check}`], body)),
        ['never_fails'],
        `${check} on ${JSON.stringify(body)}`,
      );
    }
  }
});

t.test('a check that fails on other contents is proven, with a mutation on which it alone fails', async (t) => {
  const cases: readonly (readonly [string, object, string])[] = [
    ['body has count matching ^[0-9]+$', { count: 3 }, '`count` is null'],
    ['body has count equals 3', { count: 3 }, '`count` is null'],
    ['body has data', { data: [] }, '`data` is gone'],
    ['body has ok equals true', { ok: true }, '`ok` is false'],
    ['body has state containing gne', { state: 'signed' }, '`state` is null'],
    ['body has data[0].id matching .', { data: [{ id: 'a' }] }, '`data[0].id` is an empty text'],
  ];
  for (const [check, body, example] of cases) {
    t.match(
      getOnlyCheck(createProof([check], JSON.parse(JSON.stringify(body)))),
      { verdict: 'proven', example },
      check,
    );
  }
});

t.test('of two equivalent checks each names the other, with the advice to keep one', async (t) => {
  const { checks } = createProof(['body has id matching ^[a-z]+$', 'body has id matching ^[a-z]*[a-z]$'], {
    id: 'abc',
  });
  t.match(checks[0], { verdict: 'covered', coveredBy: [19] });
  t.match(checks[1], { verdict: 'covered', coveredBy: [18] });
  t.equal(checks[0]?.advice, 'line 19 notices the same: keep one of them, and leave out the rest');
});

t.test('a check that only fails together with another is covered, which is not a problem', async (t) => {
  const { checks } = createProof(['body has data', 'body has data[0].id equals 7'], { data: [{ id: 7 }] });
  t.match(checks[0], { verdict: 'covered', coveredBy: [19], changes: 1, noticed: 1 });
  t.match(checks[0]?.advice, /^nothing is wrong with it: line 19 fails whenever it does/);
  t.match(checks[1], { verdict: 'proven', coveredBy: [] });
});

t.test('a check may be covered by several together', async (t) => {
  const { checks } = createProof(
    ['body has a equals xy', 'body has a matching ^x', 'body has a matching y$', 'body has a matching ^..$'],
    { a: 'xy' },
  );
  t.match(checks[0], { verdict: 'covered', coveredBy: [19, 20, 21] });
  t.match(checks[0]?.advice, 'together notice all that it does; it can be removed only while they stay');
  t.match(checks[1], { verdict: 'covered', coveredBy: [18] });
  t.match(checks[1]?.advice, 'line 18 fails whenever it does');
});

t.test('checks that search for different texts in one value are both proven', async (t) => {
  const both = ['body has s containing bcd', 'body has s containing fgh'];
  t.same(getVerdicts(createProof(both, { s: 'abcdefghi' })), ['proven', 'proven']);
});

t.test('a check of a complete list fails when one of its items changes', async (t) => {
  const proof = createProof(['body has data equals [{"id":7}]', 'body has data[0].id equals 7'], { data: [{ id: 7 }] });
  t.same(getVerdicts(proof), ['proven', 'covered']);
  t.same(
    proof.unchecked.map(({ pointer }) => pointer),
    ['status'],
  );
});

t.test('removing an item also removes those after it', async (t) => {
  t.match(getOnlyCheck(createProof(['body has [0]'], [1, 2, 3])), { verdict: 'proven', example: '`[0]` is gone' });
});

t.test('keys with dots, slashes and tildes are mutated in place', async (t) => {
  const body = { 'a.b': { 'c/d~e': 1 }, a: { b: 2 } };
  t.match(getOnlyCheck(createProof(['body has a.b["c/d~e"] equals 1'], body)), {
    verdict: 'proven',
    changes: 10,
    noticed: 10,
  });
  const shadowed = getOnlyCheck(createProof(['body has a.b'], { 'a.b': 1, a: { b: 2 } }));
  t.match(shadowed, { verdict: 'never_fails', noticed: 0 }, 'another reading takes its place');
  t.match(shadowed.advice, 'another reading of `a.b` takes its place');
});

t.test('a run that did not pass has an empty proof with a reason', async (t) => {
  const failed = createProof(['status=200', 'body has x'], { y: 1 });
  t.same([failed.changes, failed.checks, failed.unchecked], [0, [], []]);
  t.match(failed.problem, 'fix the failure first');
  const evidence = createEvidence({ fault: createFailure('cancelled') });
  t.match(prove(judge(createScenario('status=200'), evidence), undefined).problem, 'the run was not judged');
});

t.test('mutations beyond the work budget are not tried, and the proof says so', async (t) => {
  const checks = ['body has a equals 1', 'body has b equals 2'];
  const { checks: proven, changes } = createProof(checks, { a: 1, b: 2 }, { work: new WorkBudget(4000) });
  t.match(proven[0], { verdict: 'proven', changes: 10 });
  t.match(proven[1], { verdict: /proven|not_tried/ });
  t.ok(changes < 20, String(changes));
  const none = getOnlyCheck(createProof(['body has a equals 1'], { a: 1 }, { work: new WorkBudget(10) }));
  t.match(none, { verdict: 'not_tried', changes: 0, noticed: 0, coveredBy: [] });
  t.match(none.advice, 'took all the work of one proof');
});

t.test('a proof changes neither the body nor the verdict', async (t) => {
  const body = { data: [{ id: 7, tags: ['a', 'b'] }], count: 1 };
  const before = structuredClone(body);
  createProof(
    ['body has data containing "id":7', 'body has data[0].tags[1] equals b', 'body has count equals 1'],
    body,
  );
  t.same(body, before);
});

t.test('a proof discloses no more of a secret than a verdict', async (t) => {
  const secret = 's3cret-value';
  const conceal = (text: string): string => text.replaceAll(secret, '[redacted]');
  const noticed = (guess: string): number =>
    getOnlyCheck(createProof([`body has token matching ^(\\[redacted\\]|${guess})`], { token: secret }, { conceal }))
      .noticed;
  t.equal(noticed('s3'), noticed('zz'), 'changes begin from what checks see');
  const around = (guess: string): unknown =>
    createProof([`body has o matching redacted|${guess}`], { o: { token: secret } }, { conceal });
  t.same(
    JSON.stringify(around('s3cret')).replaceAll('s3cret', ''),
    JSON.stringify(around('zzzzzz')).replaceAll('zzzzzz', ''),
  );
  const less = (guess: string): number =>
    getOnlyCheck(createProof([`body has token containing ${guess}`], { token: `${secret}[r` }, { conceal })).noticed;
  t.ok(less('[r') > 0);
  t.notMatch(JSON.stringify(createProof(['status=200'], { token: secret }, { conceal }).unchecked), secret);
});
