import t from 'tap';
import { formatRunId, parseRunId } from '../../src/run/run-id.ts';

const dayMs = 86_400_000;

t.test('an id is its time without punctuation, and is read as that time', async (t) => {
  t.equal(formatRunId(Date.UTC(2026, 10, 20, 14, 30, 12, 345)), '20261120T143012345');
  for (let count = 0; count < 2000; count += 1) {
    const epochMs = count * (13 * dayMs + 7_654_321);
    const id = formatRunId(epochMs);
    t.equal(id, new Date(epochMs).toISOString().replaceAll(/[-:.Z]/g, ''));
    t.equal(parseRunId(id), epochMs);
  }
});

t.test('a text that is no time is no id', async (t) => {
  const refused = [
    '20261120T243012345',
    '20261120T240000000',
    '20260230T143012345',
    '20261320T143012345',
    '20261120T146012345',
  ];
  for (const text of [
    ...refused,
    '',
    '20261120t143012345',
    '20261120T14301234',
    's20261120T143012345',
    '99991231T235959999 ',
  ])
    t.equal(parseRunId(text), undefined, text);
  t.equal(parseRunId('99991231T235959999'), Date.UTC(9999, 11, 31, 23, 59, 59, 999));
});

t.test('after the year 9999 an id is longer, and none', async (t) => {
  const id = formatRunId(Date.UTC(10_000, 0, 1));
  t.equal(id, '+0100000101T000000000');
  t.equal(parseRunId(id), undefined);
  t.throws(() => formatRunId(Number.NaN), RangeError);
});
