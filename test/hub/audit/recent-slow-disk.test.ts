/** What is in the tables does not stay in `audit.recent` because calls go on while the disk works. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { appendCalls, prepareCall } from '../../../src/hub/audit/append-calls.ts';
import { createChainKeys } from '../../../src/hub/audit/audit-log.ts';
import { defaultAuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import { AuditWriter } from '../../../src/hub/audit/audit-writer.ts';
import { RecentCalls } from '../../../src/hub/audit/recent-calls.ts';
import { openAuditDatabase } from '../../../src/store/engine.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createEntry } from './test-audit.ts';

/** An audit whose syncs wait for `syncs.promise`, which the test sets. */
function openSlowAudit(t: Test) {
  const folder = join(t.testdir(), 'data');
  const real = openAuditDatabase(join(folder, 'audit.db'), 1e9);
  const keys = createChainKeys(Buffer.alloc(32, 1));
  const disk: { syncs?: PromiseWithResolvers<void> } = {};
  const recent = new RecentCalls(
    {
      ...real,
      async writeDurably(operation) {
        const value = await real.write(operation);
        await disk.syncs?.promise;
        return value;
      },
    },
    keys,
  );
  const database = recent.wrap();
  t.teardown(() => database.close());
  const countLines = (): number => readFileSync(join(folder, 'audit.recent'), 'utf8').split('\n').length - 1;
  return { database, recent, keys, disk, countLines };
}

t.test('rows are written 50 ms after their calls, although an earlier sync waits for the disk', async (t) => {
  const { database, recent, keys, disk, countLines } = openSlowAudit(t);
  const clock = fakeClock();
  const writer = new AuditWriter({
    ...{ database, recent, keys, clock, random: systemRandom, anchors: undefined },
    settings: { ...defaultAuditSettings, minFreeBytes: 0 },
    onError: (error) => t.fail(String(error)),
    onWritten: () => undefined,
    mayDeleteByAge: () => true,
  });
  await writer.record(createEntry());
  disk.syncs = Promise.withResolvers();
  clock.advance(50);
  await setImmediate();
  for (let round = 0; round < 3; round += 1) {
    await writer.record(createEntry());
    t.equal(countLines(), 1);
    clock.advance(50);
    await eventually(() => countLines() === 0);
  }
  disk.syncs.resolve();
});

t.test('while the disk is slow and calls go on, the file does not keep what is in the tables', async (t) => {
  const { database, recent, keys, disk, countLines } = openSlowAudit(t);
  const prepare = (id: string) => prepareCall(createEntry({ requestId: id, arguments: { id } }), keys, systemRandom);
  recent.noteHeads((await database.write((sql) => appendCalls(sql, [prepare('first')], keys))).heads);
  for (let round = 0; round < 5; round += 1) {
    recent.append([prepare(`before-${round}`)]);
    disk.syncs = Promise.withResolvers();
    const synced = database.writeDurably(() => undefined);
    await setImmediate();
    await setImmediate();
    recent.append([prepare(`during-${round}`)]);
    disk.syncs.resolve();
    await synced;
  }
  t.equal(countLines(), 1, 'the last call alone');
});
