import t from 'tap';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { holds, judge, parse, parseValid } from '../check-fixtures.ts';

t.test('a pattern matches anywhere unless it is anchored', async (t) => {
  t.ok(holds('body has a matching b', { a: 'abc' }));
  t.notOk(holds('body has a matching ^b', { a: 'abc' }));
  t.ok(holds('body has a matching ^abc$', { a: 'abc' }));
  t.notOk(holds('body has a matching ^ab$', { a: 'abc' }));
});

t.test('it looks at strings as they are, and at everything else as compact JSON', async (t) => {
  t.ok(holds('body has a matching ^x$', { a: 'x' }));
  t.ok(holds('body has a matching ^[0-9]+$', { a: 12 }));
  t.ok(holds('body has a matching ^[0-9]+$', { a: '12' }));
  t.ok(holds('body has a matching ^null$', { a: null }));
  t.ok(holds('body has a matching ^true$', { a: true }));
  t.ok(holds('body has a matching ^\\[1,"b"\\]$', { a: [1, 'b'] }));
  t.ok(holds('body has a matching ^\\{"b":\\{"c":1\\}\\}$', { a: { b: { c: 1 } } }));
});

t.test('the two patterns that replace number comparisons are correct', async (t) => {
  for (const n of [0, 1, 9, 10, 105]) {
    t.ok(holds('body has n matching ^[0-9]+$', { n }));
    t.equal(holds('body has n matching ^[1-9][0-9]*$', { n }), n >= 1);
  }
  for (const n of [-1, 0.5, 'x', null, '']) t.notOk(holds('body has n matching ^[0-9]+$', { n }), String(n));
});

t.test('everything after the keyword is the pattern: stars, backslashes, spaces, hashes', async (t) => {
  t.ok(holds('body has a matching .*foo.*\\.', { a: 'a foo b.' }));
  t.notOk(holds('body has a matching \\.', { a: 'x' }));
  t.ok(holds('body has a matching one  two', { a: 'one  two' }));
  t.ok(holds('body has a matching # _x_ <b>', { a: '# _x_ <b>' }));
  t.ok(holds('body has a matching (?i)ABC', { a: 'abc' }));
});

t.test('a catastrophic pattern is matched quickly', async (t) => {
  t.notOk(holds('body has a matching ^(a+)+$', { a: `${'a'.repeat(100_000)}!` }));
  t.notOk(holds('body has a matching (x+x+)+y', { a: 'x'.repeat(100_000) }));
});

t.test('an invalid pattern is reported at its invalid part', async (t) => {
  t.same(parse('body has a matching (b').problems, [['SCENARIO_CHECK_PATTERN', '(b']]);
  t.same(parse('body has a matching a(?=b)').problems, [['SCENARIO_CHECK_PATTERN', '(?=']]);
  t.same(parse('body has a matching (a)\\1').problems, [['SCENARIO_CHECK_PATTERN', '\\1']]);
  t.same(parse('body has a matching a{2,1}').problems, [['SCENARIO_CHECK_PATTERN', '{2,1}']]);
  const long = 'a'.repeat(1001);
  t.same(parse(`body has a matching ${long}`).problems, [['SCENARIO_CHECK_PATTERN', long]]);
});

t.test('an invalid field and an invalid pattern are both reported', async (t) => {
  const codes = parse('body has a..b matching (').problems.map(([code]) => code);
  t.same(codes, ['SCENARIO_FIELD_INVALID', 'SCENARIO_CHECK_PATTERN']);
});

t.test('the outcome contains the expected text, the actual value and its pointer', async (t) => {
  t.same(judge('body has a.b matching ^[1-9]', { a: { b: 0 } }), {
    passed: false,
    expected: 'a value matching ^[1-9]',
    actual: '0',
    pointer: '/a/b',
  });
  t.equal(judge('body has a matching z', { a: ' x' }).actual, '" x"');
});

t.test('long values are truncated between characters, with their size', async (t) => {
  const { actual } = judge('body has a matching z', { a: `${'x'.repeat(199)}😀${'y'.repeat(1000)}` });
  t.equal(actual, `"${'x'.repeat(199)}…" (1201 characters)`);
  const list = judge('body has a matching z', { a: Array.from({ length: 500 }, () => 1) }).actual;
  t.equal(list, `[${'1,'.repeat(99)}1… (1001 characters)`);
});

t.test('the check counts as an enforced assertion', async (t) => {
  t.ok(getCheckKind(parseValid('body has a matching b')).counted);
});
