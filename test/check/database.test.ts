import t from 'tap';
import { isCounted, looksAt } from '../../src/check/kinds.ts';
import { Numeral } from '../../src/check/numeral.ts';
import type { Observed } from '../../src/check/observed.ts';
import { judgedOn, rows, seenInDatabase } from './evidence.ts';
import { check, parsed } from './samples.ts';

const two = seenInDatabase({
  query: rows([
    { id: 1, status: 'signed', total: new Numeral('9007199254740993'), note: null },
    { id: 2, status: 'signed', total: 12.5, note: 'x' },
  ]),
});

function holds(observed: Observed, text: string): boolean {
  return judgedOn(observed, text).passed;
}

t.test('rows are counted, with every sign and with or without spaces', async (t) => {
  for (const text of [
    'db rows=2',
    'db rows = 2',
    'db rows!=1',
    'db rows>1',
    'db rows >=2',
    'db rows< 3',
    'db rows<=2',
  ]) {
    t.ok(holds(two, text), text);
  }
  for (const text of ['db rows=1', 'db rows!=2', 'db rows>2', 'db rows>=3', 'db rows<2', 'db rows<=1']) {
    t.notOk(holds(two, text), text);
  }
  t.same(judgedOn(two, 'db rows=1'), { passed: false, expected: 'exactly 1 row', actual: '2 rows' });
});

t.test('a bound on rows decides only what it can', async (t) => {
  const bounded = seenInDatabase({ query: rows([{ a: 1 }, { a: 1 }], true) });
  for (const text of ['db rows>2', 'db rows>=3', 'db rows!=2']) t.ok(holds(bounded, text), text);
  for (const text of ['db rows=2', 'db rows<3', 'db rows<=2']) {
    t.notOk(holds(bounded, text));
    t.equal(judgedOn(bounded, text).actual, 'more than 2 rows', text);
  }
  for (const text of ['db rows=3', 'db rows>3', 'db rows<4', 'db rows<=3', 'db rows!=3']) {
    t.notOk(holds(bounded, text), text);
    t.match(judgedOn(bounded, text).actual, /^more than 2 rows; how many is not known: let the query count them/);
  }
  t.equal(judgedOn(bounded, 'db has a equals 1').passed, false, 'nobody saw every row');
  t.match(judgedOn(bounded, 'db has a equals 1').actual, /^so in the first 2 rows/);
});

t.test('a column holds when every row has a value that passes', async (t) => {
  t.ok(holds(two, 'db has status equals signed'));
  t.ok(holds(two, 'db has status matching ^sig'));
  t.ok(holds(two, 'db has status containing ign'));
  t.ok(holds(two, 'db has id'));
  t.ok(holds(two, 'db has total > 12.4'));
  t.ok(holds(two, 'db has total<9007199254740994'));
  t.notOk(holds(two, 'db has total < 9007199254740993'));
  t.same(judgedOn(two, 'db has id equals 1'), {
    passed: false,
    expected: 'in every row `id` exactly 1',
    actual: '2 in row 2 of 2',
  });
});

t.test('null is no value: neither there nor a text', async (t) => {
  for (const text of ['db has note', 'db has note equals null', 'db has note matching .*', 'db has note < 1']) {
    t.equal(judgedOn(two, text).actual, 'null in row 1 of 2', text);
  }
});

t.test('without a row nothing holds, and the column is not known to be there', async (t) => {
  const none: Observed = seenInDatabase({
    query: { kind: 'rows', columns: ['id'], rows: [], rowCount: 0, more: false },
  });
  t.equal(judgedOn(none, 'db has id').actual, 'no row');
  t.equal(judgedOn(none, 'db has other').actual, 'no column `other`; there are: id');
  t.ok(holds(none, 'db rows=0'));
});

t.test('a column that is not there, or there twice, is told', async (t) => {
  t.equal(judgedOn(two, 'db has Status').actual, 'no column `Status`; there is `status`');
  t.match(judgedOn(two, 'db has title').actual, 'no column `title`; there are: id, status, total, note');
  const twice = seenInDatabase({ q: { kind: 'rows', columns: ['a', 'a'], rows: [[1, 2]], rowCount: 1, more: false } });
  t.match(judgedOn(twice, 'db has a equals 1').actual, 'give each a name with AS');
});

t.test('a query is named where there are several', async (t) => {
  const several = seenInDatabase({ one: rows([{ a: 1 }]), two: rows([]) });
  t.ok(holds(several, 'db one rows=1'));
  t.ok(holds(several, 'db two rows=0'));
  t.ok(holds(several, 'db one has a equals 1'));
  t.equal(judgedOn(several, 'db rows=1').actual, 'nobody asked the database');
  t.match(check('db one has a'), { kind: 'database_has', query: 'one', column: 'a', test: { kind: 'exists' } });
});

t.test('a column with other signs stands in quotation marks', async (t) => {
  const odd = seenInDatabase({ query: rows([{ 'Full "n" name': 'x', '?column?': 1 }]) });
  t.ok(holds(odd, 'db has "Full ""n"" name" equals x'));
  t.ok(holds(odd, 'db has ?column? equals 1'));
});

t.test('what was not to be had is said', async (t) => {
  const away = seenInDatabase({ query: { kind: 'unavailable', problem: 'no such table', cure: 'x' } });
  t.same(judgedOn(away, 'db rows=1'), { passed: false, expected: 'exactly 1 row', actual: 'no such table' });
  t.equal(judgedOn({ status: 200, body: { kind: 'empty' } }, 'db has a').actual, 'nobody asked the database');
});

t.test('secrets are concealed before a value is compared or shown', async (t) => {
  const echo: Observed = {
    ...seenInDatabase({ query: rows([{ token: 'hunter2' }]) }),
    conceal: (text) => text.replaceAll('hunter2', '[redacted]'),
  };
  t.notOk(holds(echo, 'db has token matching ^h'));
  t.equal(judgedOn(echo, 'db has token matching ^h').actual, '"[redacted]"');
});

t.test('they are no checks of the response', async (t) => {
  for (const text of ['db rows=1', 'db has a']) {
    t.equal(looksAt(check(text)), 'database');
    t.notOk(isCounted(check(text)));
  }
});

t.test('a mistake behind a known word is told at its place', async (t) => {
  t.same(parsed('db has total > 5ms').told, [['SCENARIO_CHECK_NUMBER', '5ms']]);
  t.same(parsed('db has total >').told, [['SCENARIO_CHECK_OPERAND_MISSING', '>']]);
  t.same(parsed('db has a matching (').told[0]?.slice(0, 2), ['SCENARIO_CHECK_PATTERN', '(']);
  t.same(parsed('db has').told[0]?.[0], 'SCENARIO_FIELD_INVALID');
  t.same(parsed('db has a equals "x"').told, [['SCENARIO_CHECK_QUOTED', '"x"']]);
});
