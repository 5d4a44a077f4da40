/** A control plane that starts while something else has the lock of its folder. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { VpError } from '../../../src/errors/vp-error.ts';
import { type ControlStore, openControlStore } from '../../../src/store/control/control-store.ts';
import { lockFolder } from '../../../src/store/engine.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';

/** Larger than any process id. */
const commandPid = 4_194_305;

function startWhileLocked(folder: string) {
  const lock = lockFolder(folder, 'control', commandPid);
  const clock = fakeClock();
  const waits: VpError[] = [];
  const opening = openControlStore({ folder, pid: process.pid, wait: { clock, onWait: (error) => waits.push(error) } });
  return { clock, lock, opening, waits };
}

const hasWaited = (waits: readonly VpError[]) =>
  eventually(() => waits.length, { until: (count) => count > 0, description: 'the wait' });

/** The times of the looks are not known. */
async function advanceUntilOpened(clock: FakeClock, opening: Promise<ControlStore>): Promise<ControlStore> {
  let hasEnded = false;
  void opening
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true;
    });
  const advance = (): boolean => {
    clock.advance(20);
    return hasEnded;
  };
  await eventually(advance, { until: Boolean, description: 'the end of the start' });
  return await opening;
}

t.test('it waits for a command, says so once, and starts when the command ends', async (t) => {
  const { clock, lock, opening, waits } = startWhileLocked(t.testdir());
  await hasWaited(waits);
  clock.advance(1000);
  lock.release();
  const store = await advanceUntilOpened(clock, opening);
  t.match(waits, [{ code: 'STORE_IN_USE', message: /process 4194305/ }]);
  t.equal(waits.length, 1);
  await store.close();
});

t.test('it does not wait for a command that takes long', async (t) => {
  const { clock, lock, opening, waits } = startWhileLocked(t.testdir());
  await hasWaited(waits);
  clock.advance(5000);
  await t.rejects(opening, { code: 'STORE_IN_USE', message: /process 4194305/ });
  lock.release();
});

t.test('another control plane is not waited for', async (t) => {
  const folder = t.testdir();
  const first = await openControlStore({ folder, pid: process.pid });
  const wait = { clock: fakeClock(), onWait: () => t.fail('waits') };
  await t.rejects(openControlStore({ folder, pid: commandPid, wait }), { code: 'STORE_IN_USE' });
  await first.close();
});

t.test('a command is waited for where the control plane was killed and another process has its id', async (t) => {
  const original = join(t.testdir(), 'original');
  const folder = join(t.testdirName, 'killed');
  const control = await openControlStore({ folder: original, pid: process.pid });
  cpSync(original, folder, { recursive: true });
  await control.close();
  const { clock, lock, opening, waits } = startWhileLocked(folder);
  await hasWaited(waits);
  lock.release();
  const store = await advanceUntilOpened(clock, opening);
  t.equal(waits.length, 1);
  await store.close();
});
