import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { createPrincipal } from '../hub/audit/test-audit.ts';

t.test('forgotten memories are left neither in the file nor in the index', async (t) => {
  const folder = t.testdir();
  const memory = openMemory({ folder, clock: fakeClock(), random: systemRandom });
  const principal = createPrincipal();
  await memory.remember(principal, 'user', { text: 'tea is in the left cupboard' });
  const { id } = await memory.remember(principal, 'user', { text: 'zanzibarquarrel with the neighbour' });
  const updated = await memory.remember(principal, 'user', { text: 'kilimanjarodebt of the neighbour' });
  await memory.update(principal, updated.id, { text: 'nothing' });
  await memory.forget(principal, id);
  await memory.close();
  const bytes = readFileSync(join(folder, 'memory.db')).toString('latin1');
  t.match(bytes, 'cupboard');
  t.notMatch(bytes, /zanzibar|kilimanjaro/);
});
