/** What is in the tables does not stay in `audit.recent` because calls go on while the disk works. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { appendCalls, prepareCall } from '../../../src/hub/audit/append-calls.ts';
import { createChainKeys } from '../../../src/hub/audit/audit-log.ts';
import { RecentCalls } from '../../../src/hub/audit/recent-calls.ts';
import { openAuditDatabase } from '../../../src/store/engine.ts';
import { createEntry } from './test-audit.ts';

t.test('while the disk is slow and calls go on, the file does not keep what is in the tables', async (t) => {
  const folder = join(t.testdir(), 'data');
  const real = openAuditDatabase(join(folder, 'audit.db'), 1e9);
  const keys = createChainKeys(Buffer.alloc(32, 1));
  let syncs: PromiseWithResolvers<void> | undefined;
  const recent = new RecentCalls(
    {
      ...real,
      async writeDurably(operation) {
        const value = await real.write(operation);
        await syncs?.promise;
        return value;
      },
    },
    keys,
  );
  const database = recent.wrap();
  t.teardown(() => database.close());
  const prepare = (id: string) => prepareCall(createEntry({ requestId: id, arguments: { id } }), keys, systemRandom);
  recent.noteHeads((await database.write((sql) => appendCalls(sql, [prepare('first')], keys))).heads);
  for (let round = 0; round < 5; round += 1) {
    recent.append([prepare(`before-${round}`)]);
    syncs = Promise.withResolvers();
    const synced = database.writeDurably(() => undefined);
    await setImmediate();
    await setImmediate();
    recent.append([prepare(`during-${round}`)]);
    syncs.resolve();
    await synced;
  }
  const lines = readFileSync(join(folder, 'audit.recent'), 'utf8').split('\n').slice(0, -1);
  t.equal(lines.length, 1, 'the last call alone');
});
