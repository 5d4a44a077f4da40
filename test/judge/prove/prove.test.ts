import t from 'tap';
import { judge } from '../../../src/judge/judge.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import { Work } from '../../../src/judge/prove/work.ts';
import { evidenceOf, faultOf, scenarioOf } from '../samples.ts';
import { onlyCheck, proofOf, verdictsOf } from './samples.ts';

t.test('a check that says nothing of the value never fails, and is told what to write', async (t) => {
  const { checks } = proofOf(['status=200', 'body has count matching .*'], { count: 3 });
  t.match(checks[0], { verdict: 'proven', line: 18, example: 'status 500 instead of 200', advice: undefined });
  t.match(checks[1], { verdict: 'never_fails', line: 19, noticed: 1, example: '`count` is gone', coveredBy: [] });
  t.equal(
    checks[1]?.advice,
    'whatever `count` is, it holds: it says no more than `body has count`; write `body has count matching ^[0-9]+$`',
  );
});

t.test('patterns and texts that anything satisfies are found, whatever the type of the value', async (t) => {
  for (const body of [{ x: 3 }, { x: 'a text' }, { x: true }, { x: null }, { x: [1] }, { x: {} }, { x: -1.5 }]) {
    for (const check of ['matching .*', 'matching ^', 'matching a*', 'matching $|^x']) {
      t.same(
        verdictsOf(proofOf([`body has x ${check}`], body)),
        ['never_fails'],
        `${check} on ${JSON.stringify(body)}`,
      );
    }
  }
});

t.test('a check that other contents make fail is proven, with a change that it alone notices', async (t) => {
  const cases: readonly (readonly [string, object, string])[] = [
    ['body has count matching ^[0-9]+$', { count: 3 }, '`count` is null'],
    ['body has count equals 3', { count: 3 }, '`count` is null'],
    ['body has data', { data: [] }, '`data` is gone'],
    ['body has ok equals true', { ok: true }, '`ok` is false'],
    ['body has state containing gne', { state: 'signed' }, '`state` is null'],
    ['body has data[0].id matching .', { data: [{ id: 'a' }] }, '`data[0].id` is an empty text'],
  ];
  for (const [check, body, example] of cases) {
    t.match(onlyCheck(proofOf([check], JSON.parse(JSON.stringify(body)))), { verdict: 'proven', example }, check);
  }
});

t.test('of two checks that notice the same, each names the other, and one is to be kept', async (t) => {
  const { checks } = proofOf(['body has id matching ^[a-z]+$', 'body has id matching ^[a-z]*[a-z]$'], { id: 'abc' });
  t.match(checks[0], { verdict: 'covered', coveredBy: [19] });
  t.match(checks[1], { verdict: 'covered', coveredBy: [18] });
  t.equal(checks[0]?.advice, 'line 19 notices the same: keep one of them, and leave out the rest');
});

t.test('a check whose every failure comes with one of another is covered, and that is nothing wrong', async (t) => {
  const { checks } = proofOf(['body has data', 'body has data[0].id equals 7'], { data: [{ id: 7 }] });
  t.match(checks[0], { verdict: 'covered', coveredBy: [19], changes: 1, noticed: 1 });
  t.match(checks[0]?.advice, /^nothing is wrong with it: line 19 fails whenever it does/);
  t.match(checks[1], { verdict: 'proven', coveredBy: [] });
});

t.test('a check may be covered by several together', async (t) => {
  const { checks } = proofOf(
    ['body has a equals xy', 'body has a matching ^x', 'body has a matching y$', 'body has a matching ^..$'],
    { a: 'xy' },
  );
  t.match(checks[0], { verdict: 'covered', coveredBy: [19, 20, 21] });
  t.match(checks[0]?.advice, 'together notice all that it does; leave it out only while they stay');
  t.match(checks[1], { verdict: 'covered', coveredBy: [18] });
  t.match(checks[1]?.advice, 'line 18 fails whenever it does');
});

t.test('what two checks look for in one text is told apart', async (t) => {
  const both = ['body has s containing bcd', 'body has s containing fgh'];
  t.same(verdictsOf(proofOf(both, { s: 'abcdefghi' })), ['proven', 'proven']);
});

t.test('a check of a whole list notices what changes in it', async (t) => {
  const proof = proofOf(['body has data equals [{"id":7}]', 'body has data[0].id equals 7'], { data: [{ id: 7 }] });
  t.same(verdictsOf(proof), ['proven', 'covered']);
  t.same(
    proof.unchecked.map(({ pointer }) => pointer),
    ['status'],
  );
});

t.test('the first of several items is gone with those behind it', async (t) => {
  t.match(onlyCheck(proofOf(['body has [0]'], [1, 2, 3])), { verdict: 'proven', example: '`[0]` is gone' });
});

t.test('keys with dots, slashes and tildes are changed where they are', async (t) => {
  const body = { 'a.b': { 'c/d~e': 1 }, a: { b: 2 } };
  t.match(onlyCheck(proofOf(['body has a.b["c/d~e"] equals 1'], body)), {
    verdict: 'proven',
    changes: 10,
    noticed: 10,
  });
  const shadowed = onlyCheck(proofOf(['body has a.b'], { 'a.b': 1, a: { b: 2 } }));
  t.match(shadowed, { verdict: 'never_fails', noticed: 0 }, 'another reading takes its place');
  t.match(shadowed.advice, 'another reading of `a.b` takes its place');
});

t.test('nothing is proven of a run that did not pass, and the proof says why', async (t) => {
  const failed = proofOf(['status=200', 'body has x'], { y: 1 });
  t.same([failed.changes, failed.checks, failed.unchecked], [0, [], []]);
  t.match(failed.problem, 'mend what failed first');
  const evidence = evidenceOf({ fault: faultOf('cancelled') });
  t.match(prove(judge(scenarioOf('status=200'), evidence), undefined).problem, 'the run was not judged');
});

t.test('what there is no work for is not tried, and said so', async (t) => {
  const checks = ['body has a equals 1', 'body has b equals 2'];
  const { checks: proven, changes } = proofOf(checks, { a: 1, b: 2 }, { work: new Work(4000) });
  t.match(proven[0], { verdict: 'proven', changes: 10 });
  t.match(proven[1], { verdict: /proven|not_tried/ });
  t.ok(changes < 20, String(changes));
  const none = onlyCheck(proofOf(['body has a equals 1'], { a: 1 }, { work: new Work(10) }));
  t.match(none, { verdict: 'not_tried', changes: 0, noticed: 0, coveredBy: [] });
  t.match(none.advice, 'took all the work of one proof');
});

t.test('a proof changes neither the body nor the verdict', async (t) => {
  const body = { data: [{ id: 7, tags: ['a', 'b'] }], count: 1 };
  const before = structuredClone(body);
  proofOf(['body has data containing "id":7', 'body has data[0].tags[1] equals b', 'body has count equals 1'], body);
  t.same(body, before);
});

t.test('a secret is no more told by a proof than by a verdict', async (t) => {
  const secret = 's3cret-value';
  const conceal = (text: string): string => text.replaceAll(secret, '[redacted]');
  const noticed = (guess: string): number =>
    onlyCheck(proofOf([`body has token matching ^(\\[redacted\\]|${guess})`], { token: secret }, { conceal })).noticed;
  t.equal(noticed('s3'), noticed('zz'), 'changes begin from what checks see');
  const around = (guess: string): unknown =>
    proofOf([`body has o matching redacted|${guess}`], { o: { token: secret } }, { conceal });
  t.same(
    JSON.stringify(around('s3cret')).replaceAll('s3cret', ''),
    JSON.stringify(around('zzzzzz')).replaceAll('zzzzzz', ''),
  );
  const less = (guess: string): number =>
    onlyCheck(proofOf([`body has token containing ${guess}`], { token: `${secret}[r` }, { conceal })).noticed;
  t.ok(less('[r') > 0);
  t.notMatch(JSON.stringify(proofOf(['status=200'], { token: secret }, { conceal }).unchecked), secret);
});
