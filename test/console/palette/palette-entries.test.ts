import t from 'tap';
import {
  findRunEntry,
  listPaletteEntries,
  readRunIdPart,
  toRunIdRange,
} from '../../../src/console/palette/palette-entries.ts';

t.test('the palette leads to every page of each environment, those of the current one first', async (t) => {
  const entries = listPaletteEntries([{ instance_id: 'bank' }, { instance_id: 'shop' }], 'shop', []);
  const inOrder = entries.filter(({ kind }) => kind === 'Environment').map(({ path }) => path);
  const pages = [
    '',
    '/runs',
    '/suites',
    '/scenarios',
    '/schedules',
    '/compare',
    '/health',
    '/coverage',
    '/status-pages',
  ];
  t.same(
    inOrder,
    ['shop', 'bank'].flatMap((id) => pages.map((page) => `/instances/${id}${page}`)),
  );
});

t.test('a run is found by its id and by its correlation id', async (t) => {
  for (const query of ['20261120T143012345', ' tr-20261120T143012345-ab12cd '])
    t.match(findRunEntry(query), { path: '/runs/20261120T143012345' }, query);
  t.equal(findRunEntry('20261120T14'), undefined);
});

t.test('a part of an id is recognized, and other text is not', async (t) => {
  t.equal(readRunIdPart('20261120t1430'), '20261120T1430');
  t.equal(readRunIdPart('tr-20261120T1430'), '20261120T1430');
  t.equal(readRunIdPart('12345'), '12345');
  for (const query of ['123', 'RT-GET-200', 'people', '2026112012345678901'])
    t.equal(readRunIdPart(query), undefined, query);
});

t.test('the beginning of an id is a time range', async (t) => {
  const cases = [
    ['20261120', '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['20261120T', '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['20261120T2', '2026-11-20T20:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['20261120T14', '2026-11-20T14:00:00.000Z', '2026-11-20T15:00:00.000Z'],
    ['20261120T1430', '2026-11-20T14:30:00.000Z', '2026-11-20T14:31:00.000Z'],
    ['20261120T14301', '2026-11-20T14:30:10.000Z', '2026-11-20T14:30:20.000Z'],
    ['20261120T143012', '2026-11-20T14:30:12.000Z', '2026-11-20T14:30:13.000Z'],
    ['20261120T14301234', '2026-11-20T14:30:12.340Z', '2026-11-20T14:30:12.350Z'],
  ] as const;
  for (const [part, since, until] of cases) t.same(toRunIdRange(part), { since, until }, part);
  for (const part of ['2026', '143012345', '20261399']) t.equal(toRunIdRange(part), undefined, part);
});
