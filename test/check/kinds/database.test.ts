import t from 'tap';
import { Numeral } from '../../../src/check/json/json.ts';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { emptyObservation, type Observation } from '../../../src/check/observation.ts';
import { parse, parseValid } from '../check-fixtures.ts';
import { judgeOn, observeDatabase, rows } from '../evidence-fixtures.ts';

const twoRows = observeDatabase({
  query: rows([
    { id: 1, status: 'signed', total: new Numeral('9007199254740993'), note: null },
    { id: 2, status: 'signed', total: 12.5, note: 'x' },
  ]),
});

function holds(observed: Observation, text: string): boolean {
  return judgeOn(observed, text).passed;
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
    t.ok(holds(twoRows, text), text);
  }
  for (const text of ['db rows=1', 'db rows!=2', 'db rows>2', 'db rows>=3', 'db rows<2', 'db rows<=1']) {
    t.notOk(holds(twoRows, text), text);
  }
  t.same(judgeOn(twoRows, 'db rows=1'), { passed: false, expected: 'exactly 1 row', actual: '2 rows' });
});

t.test('a truncated result decides only what it can', async (t) => {
  const bounded = observeDatabase({ query: rows([{ a: 1 }, { a: 1 }], true) });
  for (const text of ['db rows>2', 'db rows>=3', 'db rows!=2']) t.ok(holds(bounded, text), text);
  for (const text of ['db rows=2', 'db rows<3', 'db rows<=2']) {
    t.notOk(holds(bounded, text));
    t.equal(judgeOn(bounded, text).actual, 'more than 2 rows', text);
  }
  for (const text of ['db rows=3', 'db rows>3', 'db rows<4', 'db rows<=3', 'db rows!=3']) {
    t.notOk(holds(bounded, text), text);
    t.match(judgeOn(bounded, text).actual, /^more than 2 rows; how many is not known: let the query count them/);
  }
  t.equal(judgeOn(bounded, 'db has a equals 1').passed, false, 'nobody saw every row');
  t.match(judgeOn(bounded, 'db has a equals 1').actual, /^so in the first 2 rows/);
});

t.test('a column check passes when the value in every row passes', async (t) => {
  t.ok(holds(twoRows, 'db has status equals signed'));
  t.ok(holds(twoRows, 'db has status matching ^sig'));
  t.ok(holds(twoRows, 'db has status containing ign'));
  t.ok(holds(twoRows, 'db has id'));
  t.ok(holds(twoRows, 'db has total > 12.4'));
  t.ok(holds(twoRows, 'db has total<9007199254740994'));
  t.notOk(holds(twoRows, 'db has total < 9007199254740993'));
  t.same(judgeOn(twoRows, 'db has id equals 1'), {
    passed: false,
    expected: 'in every row `id` exactly 1',
    actual: '2 in row 2 of 2',
  });
});

t.test('null is not a value: it passes no test', async (t) => {
  for (const text of ['db has note', 'db has note equals null', 'db has note matching .*', 'db has note < 1']) {
    t.equal(judgeOn(twoRows, text).actual, 'null in row 1 of 2', text);
  }
});

t.test('without a row no column check passes, and a missing column is reported', async (t) => {
  const noRows: Observation = observeDatabase({
    query: { kind: 'rows', columns: ['id'], rows: [], rowCount: 0, more: false },
  });
  t.equal(judgeOn(noRows, 'db has id').actual, 'no row');
  t.equal(judgeOn(noRows, 'db has other').actual, 'no column `other`; there are: id');
  t.ok(holds(noRows, 'db rows=0'));
});

t.test('a missing or duplicate column is reported', async (t) => {
  t.equal(judgeOn(twoRows, 'db has Status').actual, 'no column `Status`; there is `status`');
  t.match(judgeOn(twoRows, 'db has title').actual, 'no column `title`; there are: id, status, total, note');
  const duplicated = observeDatabase({
    q: { kind: 'rows', columns: ['a', 'a'], rows: [[1, 2]], rowCount: 1, more: false },
  });
  t.match(judgeOn(duplicated, 'db has a equals 1').actual, 'give each a name with AS');
});

t.test('a query is named where there are several', async (t) => {
  const several = observeDatabase({ one: rows([{ a: 1 }]), two: rows([]) });
  t.ok(holds(several, 'db one rows=1'));
  t.ok(holds(several, 'db two rows=0'));
  t.ok(holds(several, 'db one has a equals 1'));
  t.equal(judgeOn(several, 'db rows=1').actual, 'the database was not queried');
  t.match(parseValid('db one has a'), { kind: 'database_has', query: 'one', column: 'a', test: { kind: 'exists' } });
});

t.test('a column name with special characters is quoted', async (t) => {
  const unusualNames = observeDatabase({ query: rows([{ 'Full "n" name': 'x', '?column?': 1 }]) });
  t.ok(holds(unusualNames, 'db has "Full ""n"" name" equals x'));
  t.ok(holds(unusualNames, 'db has ?column? equals 1'));
});

t.test('unavailable evidence is explained', async (t) => {
  const unavailable = observeDatabase({ query: { kind: 'unavailable', problem: 'no such table', cure: 'x' } });
  t.same(judgeOn(unavailable, 'db rows=1'), { passed: false, expected: 'exactly 1 row', actual: 'no such table' });
  t.equal(judgeOn(emptyObservation, 'db has a').actual, 'the database was not queried');
});

t.test('secrets are concealed before a value is compared or displayed', async (t) => {
  const echo: Observation = {
    ...observeDatabase({ query: rows([{ token: 'hunter2' }]) }),
    conceal: (text) => text.replaceAll('hunter2', '[redacted]'),
  };
  t.notOk(holds(echo, 'db has token matching ^h'));
  t.equal(judgeOn(echo, 'db has token matching ^h').actual, '"[redacted]"');
});

t.test('they look at the database and are not counted', async (t) => {
  for (const text of ['db rows=1', 'db has a']) {
    t.equal(getCheckKind(parseValid(text)).looksAt, 'database');
    t.notOk(getCheckKind(parseValid(text)).counted);
  }
});

t.test('a mistake after a known word is reported at its position', async (t) => {
  t.same(parse('db has total > 5ms').problems, [['SCENARIO_CHECK_NUMBER', '5ms']]);
  t.same(parse('db has total >').problems, [['SCENARIO_CHECK_OPERAND_MISSING', '>']]);
  t.same(parse('db has a matching (').problems[0]?.slice(0, 2), ['SCENARIO_CHECK_PATTERN', '(']);
  t.same(parse('db has').problems[0]?.[0], 'SCENARIO_FIELD_INVALID');
  t.same(parse('db has a equals "x"').problems, [['SCENARIO_CHECK_QUOTED', '"x"']]);
});
