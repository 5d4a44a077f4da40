/** Calls that are recorded in `audit.recent` are in the audit, whatever ends the process and in whatever order things happen. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { copyFolder, listRequestIds, openInFolder, recentFile, recordCalls } from './recent-folder.ts';
import { createEntry, createPrincipal, listFaults, openTestAudit, type TestAudit } from './test-audit.ts';

/** Opened by the next process. */
async function openAfterKill(t: Test, { folder, clock }: TestAudit, change: (file: string) => void = () => undefined) {
  const copy = copyFolder({ folder });
  change(join(copy, 'audit.recent'));
  return openTestAudit(t, {}, { folder: copy, clock });
}

const countedIds = (count: number): string[] => Array.from({ length: count }, (_, index) => `r-${index + 1}`);

t.test('after a kill the next start adds what was recorded', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, countedIds(5));
  t.equal(
    readFileSync(recentFile(testAudit), 'utf8').split('\n').length,
    5,
    'the first call has a row, the others a line',
  );
  const after = await openAfterKill(t, testAudit);
  t.same(await listRequestIds(after), ['r-1', 'r-2', 'r-3', 'r-4', 'r-5']);
  t.same(await listFaults(after), []);
  t.same(after.errors, []);
});

t.test('a reader of the same process sees calls at once, and a sync writes them to the tables', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, countedIds(3));
  t.equal((await testAudit.audit.search('id-of-acme', { limit: 10 })).items.length, 3);
  t.equal(readFileSync(recentFile(testAudit), 'utf8'), '');
  await recordCalls(testAudit, countedIds(1), { arguments: { title: 'a secret quarrel' } });
  await testAudit.audit.syncToDisk();
  t.equal(readFileSync(recentFile(testAudit), 'utf8'), '', 'arguments stand in one place');
  await testAudit.audit.close();
  t.notOk(existsSync(recentFile(testAudit)));
});

t.test('lines stay until their rows are committed', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, countedIds(3));
  const sqlite = new Sqlite(testAudit.file);
  sqlite.exec('BEGIN EXCLUSIVE');
  await testAudit.audit.syncToDisk();
  t.match(testAudit.errors, [{ code: 'STORE_UNUSABLE' }]);
  sqlite.exec('ROLLBACK');
  sqlite.close();
  const after = await openAfterKill(t, testAudit);
  t.same(await listRequestIds(after), ['r-1', 'r-2', 'r-3']);
});

t.test('lines whose rows are in the tables are not added again', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, countedIds(4));
  const lines = readFileSync(recentFile(testAudit));
  await testAudit.audit.syncToDisk();
  const after = await openAfterKill(t, testAudit, (file) => writeFileSync(file, lines));
  t.same(await listRequestIds(after), ['r-1', 'r-2', 'r-3', 'r-4']);
  t.same(await listFaults(after), []);
  t.same(after.errors, []);
});

t.test('a line that a power cut has torn is left out with what follows, and is reported', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, countedIds(6));
  const lines = readFileSync(recentFile(testAudit), 'utf8').split('\n').slice(0, -1);
  const damages: Record<string, { readonly change: (lines: string[]) => string; readonly ids: number; lost: number }> =
    {
      'the last line is not complete': { change: (all) => all.join('\n').slice(0, -10), ids: 5, lost: 0 },
      'a line has zeros': { change: ([a, b, c]) => `${a}\n${b}\n${'\0'.repeat(c?.length ?? 0)}\n`, ids: 3, lost: 1 },
      'a line is missing': { change: ([a, _b, c, d]) => `${[a, c, d].join('\n')}\n`, ids: 2, lost: 2 },
      'an outcome was changed': {
        change: (all) => `${all.join('\n').replace('"outcome":"ok"', '"outcome":"denied"')}\n`,
        ids: 1,
        lost: 5,
      },
      'arguments were changed': {
        change: (all) => `${all.join('\n').replaceAll('Broken door', 'Broken doors')}\n`,
        ids: 1,
        lost: 5,
      },
      'the file is something else': { change: () => 'hello\n\n', ids: 1, lost: 2 },
    };
  for (const [name, { change, ids, lost }] of Object.entries(damages))
    await t.test(name, async (t) => {
      const after = await openAfterKill(t, testAudit, (file) => writeFileSync(file, change(lines)));
      t.equal((await listRequestIds(after)).length, ids);
      t.same(await listFaults(after), []);
      if (lost === 0) t.same(after.errors, []);
      else
        t.match(after.errors, [
          { code: 'AUDIT_CALLS_UNUSABLE', message: new RegExp(`^${lost} of the recorded calls`) },
        ]);
    });
});

t.test('calls that are synced or have two rows have no lines', async (t) => {
  for (const settings of [{ strict: true }, { intents: true }]) {
    const testAudit = await openInFolder(t, settings);
    await recordCalls(testAudit, countedIds(3));
    t.notOk(existsSync(recentFile(testAudit)));
    await testAudit.audit.close();
  }
});

type Step =
  | { readonly kind: 'calls'; readonly count: number; readonly hub: string; readonly bytes: number }
  | { readonly kind: 'read' | 'sync' | 'delete' | 'erase' | 'kill' | 'tear' | 'stop' };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('calls' as const),
        count: fc.integer({ min: 1, max: 90 }),
        hub: fc.constantFrom('acme', 'other'),
        bytes: fc.constantFrom(10, 5000),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('read', 'sync', 'kill', 'stop', 'delete', 'tear') }) },
  ),
  { maxLength: 12 },
);

/** What of the calls of a hub must be there: those that were answered, in order, up to those that retention may delete. */
type Expected = Map<string, string[]>;

const maxAgeMs = 3_600_000;

async function play(t: Test, played: readonly Step[]): Promise<void> {
  const clock = fakeClock(Date.UTC(2026, 10, 20));
  const expected: Expected = new Map();
  let folder = join(t.testdir(), 'data');
  let current = await open(t, folder, clock);
  let count = 0;
  const reopen = async (change: (file: string) => void): Promise<void> => {
    const next = copyFolder({ folder });
    change(join(next, 'audit.recent'));
    await current.audit.close();
    folder = next;
    current = await open(t, folder, clock);
  };
  for (const step of played) {
    if (step.kind === 'calls') {
      const first = count + 1;
      const ids = Array.from({ length: step.count }, (_, index) => `r-${first + index}`);
      count += step.count;
      const entry = { principal: createPrincipal(step.hub), arguments: { text: 'x'.repeat(step.bytes) } };
      const record = (requestId: string) =>
        current.audit.record(createEntry({ ...entry, requestId, atMs: clock.nowMs() }));
      await Promise.all(ids.slice(0, 20).map(record));
      for (const id of ids.slice(20)) await record(id);
      expected.set(step.hub, [...(expected.get(step.hub) ?? []), ...ids]);
    } else if (step.kind === 'read') await current.audit.search('id-of-acme', { limit: 1 });
    else if (step.kind === 'sync') await current.audit.syncToDisk();
    else if (step.kind === 'kill') await reopen(() => undefined);
    else if (step.kind === 'tear')
      await reopen((file) => existsSync(file) && writeFileSync(file, `${readFileSync(file, 'utf8')}torn`));
    else if (step.kind === 'stop') {
      await current.audit.close();
      current = await open(t, folder, clock);
    } else {
      clock.advance(2 * maxAgeMs);
      await current.audit.applyRetention();
      expected.clear();
    }
  }
  for (const [hub, ids] of expected) t.same(await listRequestIds(current, hub), ids);
  await current.audit.syncToDisk();
  t.same(await listFaults(current), []);
  t.same(current.errors, []);
  await current.audit.close();
}

function open(t: Test, folder: string, clock: FakeClock): Promise<TestAudit> {
  return openTestAudit(t, { maxAgeMs }, { folder, clock });
}

t.test('in any order of calls, reads, syncs, retention, kills and stops no answered call is missing', async (t) => {
  let run = 0;
  const property = fc.asyncProperty(steps, async (played) => {
    run += 1;
    const result = await t.test(`run ${run}`, (t) => play(t, played));
    return result === null || result.ok;
  });
  await fc.assert(property, { numRuns: 60 });
});
