/** A control plane that has lost changes refuses to start, until somebody accepts the loss. */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { acceptLoss } from '../../src/control/accept-loss.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { createEntry, createPrincipal, openTestAudit } from '../hub/audit/test-audit.ts';
import { openTestControl, openTestControlWithApp } from './control-fixture.ts';

const runRequest = { scenarios: [{ id: 'RT-GET-document' }] };
const principal = createPrincipal();

/** A folder whose processes were killed: one run and a memory are in the stores, others in the write-ahead logs. */
async function createKilledFolder(t: Test) {
  const { control, folder, clock } = await openTestControlWithApp(t);
  await control.runs.request('app', runRequest, { name: 'ana' });
  const memory = openMemory({ folder, clock, random: systemRandom, pid: 1 });
  await memory.remember(principal, 'user', { text: 'first' });
  await memory.close();
  await control.close();
  const { control: next } = await openTestControl(t, { folder, clock });
  const nextMemory = openMemory({ folder, clock, random: systemRandom, pid: 1 });
  await nextMemory.remember(principal, 'user', { text: 'second' });
  await next.runs.request('app', runRequest, { name: 'ana' });
  await next.runs.request('app', runRequest, { name: 'ana' });
  const killed = join(folder, 'killed');
  for (const name of readdirSync(folder).filter((entry) => !/killed|lock|pid/.test(entry)))
    cpSync(join(folder, name), join(killed, name));
  await nextMemory.close();
  await next.close();
  return { folder: killed, clock };
}

t.test('a deleted write-ahead log is refused, and accepted by a command that records it', async (t) => {
  const { folder, clock } = await createKilledFolder(t);
  for (const name of ['control.db-wal', 'control.db-shm']) rmSync(join(folder, name));
  await t.rejects(openTestControl(t, { folder, clock }), {
    code: 'STORE_WENT_BACK',
    message: /has lost the last \d+ of \d+ acknowledged changes/,
  });
  const { accepted, ...rest } = await acceptLoss({ folder, clock, pid: 1 });
  t.match(accepted, [{ store: 'control', problem: /has lost/ }]);
  t.same(rest, { earlier: [], ended: 0, cancelled: 1 }, 'what is queued may have run since');
  const { control } = await openTestControl(t, { folder, clock });
  t.match((await control.runs.list({}, { limit: 10 })).items, [{ state: 'cancelled' }]);
  const { epoch } = await control.executorPort('app').hello({
    ...{ protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' },
  });
  t.ok(epoch > 1000, 'executors start behind every epoch that was lost');
  await control.close();
  t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [], earlier: accepted }, 'it stays on record');
});

t.test('memories that are gone are refused and accepted in the same way, and cancel no run', async (t) => {
  const { folder, clock } = await createKilledFolder(t);
  for (const name of ['memory.db-wal', 'memory.db-shm']) rmSync(join(folder, name));
  const open = () => openMemory({ folder, clock, random: systemRandom, pid: 1 });
  t.throws(open, { code: 'STORE_WENT_BACK', message: /memory\.db/ });
  t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [{ store: 'memory' }], cancelled: 0 });
  const memory = open();
  t.match((await memory.list(principal, 'user', {})).memories, [{ text: 'first' }]);
  await memory.close();
  for (const name of readdirSync(folder).filter((entry) => /^memory\.db/.test(entry))) rmSync(join(folder, name));
  t.throws(open, { code: 'STORE_LOST', message: /memory\.db is missing/ });
});

t.test('a missing store of the control plane is not begun anew beside the audit of its hubs', async (t) => {
  const { folder, clock } = await createKilledFolder(t);
  const { audit } = await openTestAudit(t, {}, { folder });
  await audit.record(createEntry());
  await audit.close();
  for (const name of readdirSync(folder).filter((entry) => /^(control|memory)\./.test(entry)))
    rmSync(join(folder, name));
  await t.rejects(openTestControl(t, { folder, clock }), {
    code: 'STORE_LOST',
    message: /control\.db is missing, although audit\.db shows/,
    cure: /vp restore/,
  });
  t.notOk(existsSync(join(folder, 'control.db')));
  t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [{ store: 'control', problem: /is missing/ }] });
  const { control } = await openTestControl(t, { folder, clock });
  t.same((await control.runs.list({}, { limit: 10 })).items, []);
});
