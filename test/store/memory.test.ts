import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { principalOf } from '../hub/audit/opened.ts';

t.test('what was forgotten is in the file no more, nor are its words in the index', async (t) => {
  const folder = t.testdir();
  const memory = openMemory({ folder, clock: fakeClock(), random: systemRandom });
  const who = principalOf();
  await memory.remember(who, 'user', { text: 'tea is in the left cupboard' });
  const { id } = await memory.remember(who, 'user', { text: 'zanzibarquarrel with the neighbour' });
  const updated = await memory.remember(who, 'user', { text: 'kilimanjarodebt of the neighbour' });
  await memory.update(who, updated.id, { text: 'nothing' });
  await memory.forget(who, id);
  await memory.close();
  const bytes = readFileSync(join(folder, 'memory.db')).toString('latin1');
  t.match(bytes, 'cupboard');
  t.notMatch(bytes, /zanzibar|kilimanjaro/);
});
