/** A restore replaces the audit together with its recent calls, wherever it is interrupted. */
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { completeRestore, saveRestorePlan } from '../../../src/store/restore-plan.ts';
import { copyFolder, listRequestIds, openInFolder, recentFile, recordCalls } from './recent-folder.ts';
import { listFaults, openTestAudit } from './test-audit.ts';

const mark = '20261130T010000';

t.test('a restore that is interrupted at any step and completed', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, ['r-1']);
  await testAudit.audit.close();
  const backup = `${testAudit.folder}-backup.db`;
  copyFileSync(testAudit.file, backup);
  const later = await openTestAudit(t, {}, { folder: testAudit.folder, clock: testAudit.clock });
  await recordCalls(later, ['r-2', 'r-3', 'r-4']);
  const killed = copyFolder(later);
  const lines = readFileSync(recentFile({ folder: killed }), 'utf8');
  t.equal(lines.split('\n').length - 1, 2);

  let steps = 0;
  for (let last = 0; last <= steps; last += 1) {
    const folder = `${killed}-${last}`;
    cpSync(killed, folder, { recursive: true });
    copyFileSync(backup, join(folder, 'audit.db.part'));
    saveRestorePlan(folder, mark, ['audit']);
    let step = 0;
    const interrupt = (): void => {
      step += 1;
      steps = Math.max(steps, step);
      if (step === last) throw new Error('killed');
    };
    if (last === 0) completeRestore(folder, interrupt);
    else t.throws(() => completeRestore(folder, interrupt), /killed/);
    completeRestore(folder);
    t.equal(readFileSync(join(folder, `audit.recent.replaced-${mark}`), 'utf8'), lines, `step ${last}`);
    t.notOk(existsSync(recentFile({ folder })));
    const restored = await openTestAudit(t, {}, { folder, clock: testAudit.clock });
    t.same(await listRequestIds(restored), ['r-1']);
    await recordCalls(restored, ['s-2', 's-3']);
    await restored.audit.close();
    t.same(await listFaults(restored), []);
    t.same(restored.errors, []);
    t.ok(readdirSync(folder).includes(`audit.db.replaced-${mark}`));
  }
  t.ok(steps >= 8, `${steps} steps`);
});

t.test('the replaced audit has its calls when it is put back with them', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, ['r-1', 'r-2', 'r-3']);
  const folder = copyFolder(testAudit);
  copyFileSync(join(folder, 'audit.db'), join(folder, 'audit.db.part'));
  saveRestorePlan(folder, mark, ['audit']);
  completeRestore(folder);
  const back = `${folder}-back`;
  cpSync(folder, back, { recursive: true });
  for (const name of readdirSync(folder))
    if (name.includes(`.replaced-${mark}`))
      copyFileSync(join(folder, name), join(back, name.replace(`.replaced-${mark}`, '')));
  const after = await openTestAudit(t, {}, { folder: back, clock: testAudit.clock });
  t.same(await listRequestIds(after), ['r-1', 'r-2', 'r-3']);
  t.same(await listFaults(after), []);
});
