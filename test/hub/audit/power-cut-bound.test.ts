/** In the default mode calls do not wait for the disk, unless it has been behind for a second. */
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { createChainKeys, getAuditFile } from '../../../src/hub/audit/audit-log.ts';
import { type AuditSettings, defaultAuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import { AuditWriter } from '../../../src/hub/audit/audit-writer.ts';
import { openAuditDatabase } from '../../../src/store/engine.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createEntry } from './test-audit.ts';

/** A writer on a disk whose syncs take until the test lets them end. */
function openOnSlowDisk(t: Test, settings: Partial<AuditSettings> = {}) {
  const clock = fakeClock();
  const database = openAuditDatabase(getAuditFile(t.testdir()), 100_000_000);
  const syncs: PromiseWithResolvers<void>[] = [];
  const writer = new AuditWriter({
    database: {
      ...database,
      async writeDurably(operation) {
        const value = await database.write(operation);
        const sync = Promise.withResolvers<void>();
        syncs.push(sync);
        await sync.promise;
        return value;
      },
    },
    keys: createChainKeys(Buffer.alloc(32, 1)),
    clock,
    random: systemRandom,
    settings: { ...defaultAuditSettings, minFreeBytes: 0, ...settings },
    onError: () => undefined,
    onWritten: () => undefined,
    mayDeleteByAge: () => true,
    anchors: undefined,
  });
  t.teardown(async () => {
    for (const sync of syncs) sync.resolve();
    await database.close();
  });
  /** Starts a call; `isAnswered` says whether it may be answered. */
  const start = () => {
    const call = { isAnswered: false, recorded: writer.record(createEntry()) };
    call.recorded.then(
      () => {
        call.isAnswered = true;
      },
      () => undefined,
    );
    return call;
  };
  const committed = (count: number) =>
    eventually(async () => (await database.read((sql) => sql.all('SELECT 1 FROM entries'))).length === count);
  return { writer, clock, syncs, start, committed };
}

t.test('calls are answered while the disk is less than a second behind, and wait when it is further', async (t) => {
  const { clock, syncs, start, committed } = openOnSlowDisk(t);
  await start().recorded;
  clock.advance(50);
  await eventually(() => syncs.length === 1);
  clock.advance(900);
  await start().recorded;
  clock.advance(100);
  const late = start();
  await committed(3);
  t.equal(late.isAnswered, false);
  syncs[0]?.resolve();
  await eventually(() => syncs.length === 2, {});
  t.equal(late.isAnswered, false, 'the sync that was running does not cover it');
  syncs[1]?.resolve();
  await late.recorded;
  await start().recorded;
  t.equal(syncs.length, 2, 'the disk is not behind any more');
});

t.test('a sync that failed covers nothing', async (t) => {
  const { clock, syncs, start, committed } = openOnSlowDisk(t, { whenUnwritable: 'continue' });
  await start().recorded;
  clock.advance(50);
  await eventually(() => syncs.length === 1);
  clock.advance(1000);
  const waiting = start();
  await committed(2);
  syncs[0]?.reject(new Error('the disk failed'));
  await eventually(() => {
    clock.advance(1000);
    return syncs.length === 2;
  });
  t.equal(waiting.isAnswered, false);
  syncs[1]?.resolve();
  await waiting.recorded;
});
