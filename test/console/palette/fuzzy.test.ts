import t from 'tap';
import { fitness, fitting } from '../../../src/console/palette/fuzzy.ts';
import { placesOf, runPlace } from '../../../src/console/palette/places.ts';

const all = ['RT-GET-envelope', 'RT-GET-document', 'RT-POST-document', 'People and invitations', 'Environments'];
const find = (typed: string): string[] => fitting(typed, all, (text) => text, 3);

t.test('what is typed in one piece stands before what is scattered', async (t) => {
  t.same(find('post'), ['RT-POST-document']);
  t.equal(find('doc')[0], 'RT-GET-document', 'of two alike the shorter one');
  t.same(find('rgd'), ['RT-GET-document']);
  t.equal(find('env')[0], 'Environments', 'the beginning of a word before its middle');
  t.same(find('xyz'), []);
  t.same(find(''), ['Environments', 'RT-GET-envelope', 'RT-GET-document']);
  t.equal(fitness('zz', 'a z'), undefined, 'each letter once');
});

t.test('a run id leads to its run, also one inside a correlation id; anything else does not', async (t) => {
  const id = '20261120T143012345';
  t.match(runPlace(` ${id} `), { path: `/runs/${id}` });
  t.match(runPlace(`tr-${id}-k3x9`), { path: `/runs/${id}` });
  t.equal(runPlace('20261399T143012345'), undefined);
  t.equal(runPlace('RT-GET'), undefined);
});

t.test('the instance that one is at stands first', async (t) => {
  const places = placesOf([{ instance_id: 'a' }, { instance_id: 'b' }], 'b', [{ scenario_id: 'RT-X', title: 'Exit' }]);
  t.equal(places[0]?.path, '/instances/b/runs');
  t.ok(places.some(({ path }) => path === '/instances/b/scenarios/RT-X'));
});
