/** A restore that is killed before any of its steps leaves the old stores or, after the next start or restore, the new ones. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { restoreControl } from '../../src/control/restore.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { backUpStores } from '../../src/store/backup.ts';
import { createPrincipal } from '../hub/audit/test-audit.ts';
import { sourceOptions } from '../source-program.ts';
import { openTestControl, openTestControlWithApp } from './control-fixture.ts';

const runRequest = { scenarios: [{ id: 'RT-GET-document' }] };
const principal = createPrincipal();

/** A folder as after a kill: the newest run and memory are in the write-ahead logs only. */
async function createCrashedFolder(t: Parameters<typeof openTestControlWithApp>[0]) {
  const { control, folder, clock } = await openTestControlWithApp(t);
  const memory = openMemory({ folder, clock, random: systemRandom });
  await memory.remember(principal, 'user', { text: 'old' });
  const backup = join(t.testdirName, '..', `${t.name.replaceAll(/\W/g, '')}.db`);
  for (const suffix of ['.db', '.memory.db']) rmSync(backup.replace('.db', suffix), { force: true });
  await backUpStores(folder, backup, process.pid, () => {});
  await control.runs.request('app', runRequest, { name: 'ana' });
  await memory.remember(principal, 'user', { text: 'new' });
  const crashed = `${folder}-crashed`;
  rmSync(crashed, { recursive: true, force: true });
  cpSync(folder, crashed, { recursive: true, filter: (file) => !/\.(lock|pid)$/.test(file) });
  await control.close();
  await memory.close();
  t.teardown(() => {
    for (const path of [crashed, backup, backup.replace('.db', '.memory.db')])
      rmSync(path, { recursive: true, force: true });
  });
  return { crashed, backup, clock };
}

t.test('killed at every step', async (t) => {
  const { crashed, backup, clock } = await createCrashedFolder(t);
  const folder = `${crashed}-now`;
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const countOutcome = async (): Promise<string> => {
    const { control } = await openTestControl(t, { folder, clock });
    const memory = openMemory({ folder, clock, random: systemRandom });
    const runs = (await control.runs.list({}, { limit: 10 })).items.length;
    const { memories } = await memory.list(principal, 'user', {});
    await memory.close();
    await control.close();
    return `${runs} runs, ${memories.length} memories`;
  };
  const outcomes: string[] = [];
  for (let killAt = 1; ; killAt += 1) {
    rmSync(folder, { recursive: true, force: true });
    cpSync(crashed, folder, { recursive: true });
    const child = join(import.meta.dirname, 'killed-restore-process.ts');
    const { signal, status, stdout, stderr } = spawnSync(
      process.execPath,
      [...sourceOptions, child, backup, folder, String(killAt)],
      {
        encoding: 'utf8',
      },
    );
    if (signal === null) {
      t.equal(status, 0, stderr);
      break;
    }
    const step = stdout.trim().split('\n').at(-1) ?? '';
    // Half of them are completed by a start, half by the same restore.
    const isDecided = /: (retain|remove|rename)|remove the plan/.test(step);
    const isPlanned = readdirSync(folder).includes('restore.json');
    t.equal(isPlanned, isDecided, step);
    if (isDecided)
      await t.rejects(
        backUpStores(folder, join(folder, 'b.db'), 1, () => {}),
        { code: 'RESTORE_INCOMPLETE' },
      );
    if (killAt % 2 === 0) await restoreControl({ backup, folder, clock, pid: 1 });
    const outcome = await countOutcome();
    outcomes.push(outcome);
    t.equal(outcome, isDecided || killAt % 2 === 0 ? '0 runs, 1 memories' : '1 runs, 2 memories', `killed at: ${step}`);
    t.same(
      readdirSync(folder).filter((name) => name === 'restore.json' || (isDecided && name.endsWith('.part'))),
      [],
      'nothing is left to do',
    );
  }
  t.ok(outcomes.length >= 15, `${outcomes.length} kills`);
  t.equal(new Set(outcomes).size, 2, 'kills before and after the decision');
});
