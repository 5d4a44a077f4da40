import t from 'tap';
import { inTurns, median, quantile, series } from './measure.ts';
import { atLeast, calculateRatio, type Row, ratioAtLeast, under, withMaxOverFloor, withMaxRatio } from './row.ts';
import { markdown } from './table.ts';

const row: Row = { measured: 'start', value: 30, unit: 'ms', floor: { what: 'bare', value: 20 } };

t.test('series are taken in turns, and what was taken to warm up is forgotten', async (t) => {
  const order: string[] = [];
  const named = (name: string) => series(async () => order.push(name));
  const [a, b] = [named('a'), named('b')];
  await inTurns(2, [a, b], 1);
  t.equal(order.join(''), 'ababab');
  t.same(
    [a.samples, b.samples],
    [
      [3, 5],
      [4, 6],
    ],
  );
});

t.test('the middle and the end of samples do not depend on their order', async (t) => {
  const samples = [9, 1, 5, 3, 7];
  t.equal(median(samples), 5);
  t.equal(quantile(samples, 0.99), 9);
  t.equal(quantile(samples, 1), 9);
  t.same(samples, [9, 1, 5, 3, 7]);
  t.throws(() => median([]), { message: 'nothing was measured' });
});

t.test('limits hold the value, or its ratio to the floor, against a bound that is kept itself', async (t) => {
  t.equal(calculateRatio(row), 1.5);
  t.same(withMaxRatio(row, 1.5).limit, { text: '≤ 1.5×', isMet: true });
  t.same(withMaxRatio(row, 1.4).limit, { text: '≤ 1.4×', isMet: false });
  t.same(ratioAtLeast(row, 1.5).limit, { text: '≥ 1.5×', isMet: true });
  t.same(under(row, 30).limit, { text: '< 30 ms', isMet: false });
  t.same(atLeast(row, 1000).limit, { text: '≥ 1,000 ms', isMet: false });
  t.same(withMaxOverFloor(row, 10).limit, { text: 'floor + 10 ms', isMet: true });
  t.same(withMaxOverFloor(row, 9).limit, { text: 'floor + 9 ms', isMet: false });
});

t.test('without a floor no limit in terms of it is kept', async (t) => {
  const { floor, ...alone } = row;
  t.equal(calculateRatio(alone), undefined);
  t.equal(withMaxRatio(alone, 2).limit?.isMet, false);
  t.equal(ratioAtLeast(alone, 2).limit?.isMet, false);
});

t.test('the table names the machine, every row, and what could not be measured', async (t) => {
  const rate: Row = {
    measured: 'runs',
    value: 1234.5,
    unit: 'runs/s',
    floor: { what: 'raw', value: 2469, unit: 'calls/s' },
  };
  const results = [
    { part: 'start', rows: [withMaxRatio(row, 2), rate, under({ measured: 'memory', value: 7.126, unit: 'MB' }, 5)] },
    { part: 'queue', rows: [], failure: 'the target does not listen' },
  ];
  t.equal(
    markdown('A machine.', results),
    [
      'A machine.',
      '',
      '| Measured | `vp` | Floor | Ratio | Limit |',
      '| --- | --: | --: | --: | --: |',
      '| start | 30.0 ms | 20.0 ms (bare) | 1.50× | ≤ 2× ✓ |',
      '| runs | 1,235 runs/s | 2,469 calls/s (raw) | 0.50× |  |',
      '| memory | 7.13 MB |  |  | < 5 MB ✕ |',
      '',
      '✕ queue could not be measured: the target does not listen',
      '',
    ].join('\n'),
  );
});
