import t from 'tap';
import { fuzzyFilter, fuzzyScore } from '../../../src/console/palette/fuzzy.ts';
import { findRunEntry, listPaletteEntries } from '../../../src/console/palette/palette-entries.ts';

const texts = ['RT-GET-envelope', 'RT-GET-document', 'RT-POST-document', 'People and invitations', 'Environments'];
const findTexts = (typed: string): string[] => fuzzyFilter(typed, texts, (text) => text, 3);

t.test('contiguous matches rank before scattered ones', async (t) => {
  t.same(findTexts('post'), ['RT-POST-document']);
  t.equal(findTexts('doc')[0], 'RT-GET-document', 'of two alike the shorter one');
  t.same(findTexts('rgd'), ['RT-GET-document']);
  t.equal(findTexts('env')[0], 'Environments', 'the beginning of a word before its middle');
  t.same(findTexts('xyz'), []);
  t.same(findTexts(''), ['Environments', 'RT-GET-envelope', 'RT-GET-document']);
  t.equal(fuzzyScore('zz', 'a z'), undefined, 'each letter once');
});

t.test('a run id or correlation id gives the run, anything else does not', async (t) => {
  const id = '20261120T143012345';
  t.match(findRunEntry(` ${id} `), { path: `/runs/${id}` });
  t.match(findRunEntry(`tr-${id}-k3x9`), { path: `/runs/${id}` });
  t.equal(findRunEntry('20261399T143012345'), undefined);
  t.equal(findRunEntry('RT-GET'), undefined);
});

t.test('the current instance comes first', async (t) => {
  const entries = listPaletteEntries([{ instance_id: 'a' }, { instance_id: 'b' }], 'b', [
    { scenario_id: 'RT-X', title: 'Exit' },
  ]);
  t.equal(entries[0]?.path, '/instances/b', 'its landing page');
  t.equal(entries[1]?.path, '/instances/b/runs');
  t.ok(entries.some(({ path }) => path === '/instances/b/scenarios/RT-X'));
});
