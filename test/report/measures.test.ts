import t from 'tap';
import { formatDuration, formatPValue, formatSize } from '../../src/report/measures.ts';

t.test('durations have units that fit', async (t) => {
  t.same([0, 0.04, 0.44, 9.94, 9.96, 38.4, 999, 1234, 59_990, 60_000, 125_400].map(formatDuration), [
    '0 ms',
    '0 ms',
    '0.4 ms',
    '9.9 ms',
    '10 ms',
    '38 ms',
    '999 ms',
    '1.23 s',
    '59.99 s',
    '1 min',
    '2 min 5 s',
  ]);
});

t.test('sizes have units that fit', async (t) => {
  t.same([0, 999, 1000, 1234, 999_999, 10_485_760].map(formatSize), [
    '0 B',
    '999 B',
    '1 kB',
    '1.2 kB',
    '1 MB',
    '10.5 MB',
  ]);
});

t.test('probabilities have two digits, and small ones none', async (t) => {
  t.same([1, 0.372, 0.00423, 0.001, 0.000_99, 0].map(formatPValue), [
    'p = 1',
    'p = 0.37',
    'p = 0.0042',
    'p = 0.001',
    'p < 0.001',
    'p < 0.001',
  ]);
});
