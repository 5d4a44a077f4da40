/** A commit whose outcome nobody knows: its calls have one row each afterwards, whether it happened or not. */
import t, { type Test } from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { getAuditFile, openAudit } from '../../../src/hub/audit/audit-log.ts';
import type { AuditDatabase } from '../../../src/store/audit/audit-database.ts';
import { openAuditDatabase } from '../../../src/store/engine.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { getSourcesUnderTest, openStoresUnderTest } from '../../store/engine-under-test.ts';
import { createEntry, masterKey, verifyAudit } from './test-audit.ts';

/** What becomes of the next writes; those after them commit and say so. */
type Fate = 'committed' | 'lost';

async function openUncertainAudit(t: Test) {
  const folder = t.testdir();
  const clock = fakeClock();
  const database = (await openStoresUnderTest(t, folder))?.audit ?? openAuditDatabase(getAuditFile(folder), 1e8);
  const fates: Fate[] = [];
  const write: AuditDatabase['write'] = async (operation) => {
    const fate = fates.shift();
    if (fate === undefined) return await database.write(operation);
    if (fate === 'committed') await database.write(operation);
    throw vpError('STORE_OUTCOME_UNKNOWN', {});
  };
  const uncertain: AuditDatabase = {
    file: database.file,
    write,
    read: (operation) => database.read(operation),
    close: () => database.close(),
    writeDurably: (operation) => database.writeDurably(operation),
    noteControlCommits: (commits) => database.noteControlCommits(commits),
    getUsedBytes: () => database.getUsedBytes(),
    measureUsedBytes: () => database.measureUsedBytes(),
    truncateLog: () => database.truncateLog(),
    shrink: () => database.shrink(),
    getFreeDiskBytes: () => database.getFreeDiskBytes(),
  };
  const options = { folder, masterKey, ...getSourcesUnderTest(clock), onError: () => undefined, database: uncertain };
  const audit = await openAudit({ ...options, settings: { minFreeBytes: 0 } });
  t.teardown(() => audit.close());
  /** How many rows each request has, once the audit records again. */
  const countRows = async (): Promise<Record<string, number>> => {
    await eventually(() => {
      clock.advance(1000);
      return audit.availability === 'recording';
    });
    const { items } = await audit.search('id-of-acme', { limit: 100 });
    const counts: Record<string, number> = {};
    for (const { request_id: id, tool } of items) counts[id ?? tool ?? ''] = (counts[id ?? tool ?? ''] ?? 0) + 1;
    return counts;
  };
  return { audit, fates, countRows, file: getAuditFile(folder), folder };
}

for (const fate of ['committed', 'lost'] as const)
  t.test(`calls of a commit that was ${fate} have one row each`, async (t) => {
    const { audit, fates, countRows, ...files } = await openUncertainAudit(t);
    await audit.record(createEntry({ requestId: 'before' }));
    fates.push(fate);
    const calls = ['a', 'b'].map((requestId) => audit.record(createEntry({ requestId })));
    for (const call of calls) await t.rejects(call, { code: 'AUDIT_UNAVAILABLE' });
    t.strictSame(await countRows(), { before: 1, a: 1, b: 1 });
    await audit.record(createEntry({ requestId: 'after' }));
    t.match(await verifyAudit(files), [{ faults: [] }]);
  });

for (const fate of ['committed', 'lost'] as const)
  t.test(`the same holds when the commit that writes them later was ${fate}`, async (t) => {
    const { audit, fates, countRows, ...files } = await openUncertainAudit(t);
    fates.push('committed', fate, 'lost');
    await t.rejects(audit.record(createEntry({ requestId: 'a' })), { code: 'AUDIT_UNAVAILABLE' });
    t.throws(() => audit.ready(() => createEntry({ requestId: 'refused' })), { code: 'AUDIT_UNAVAILABLE' });
    const counts = await countRows();
    t.equal(counts.a, 1);
    const { items } = await audit.search('id-of-acme', { limit: 100 });
    t.equal(items.length, 2, 'and the refused calls have one');
    t.match(await verifyAudit(files), [{ faults: [] }]);
  });
