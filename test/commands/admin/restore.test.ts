/** `vp restore` over a folder whose control plane was killed, and whose recorded calls cannot be added to the audit. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { copyFolder, recentFile, recordCalls } from '../../hub/audit/recent-folder.ts';
import { openTestAudit } from '../../hub/audit/test-audit.ts';
import { createWorkspace } from '../test-workspace.ts';
import { fillFolder, variables } from './filled-folder.ts';

async function startRestore(t: Test) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const vp = (...args: readonly string[]) => workspace.vp(args, { variables });
  const folder = join(workspace.folder, 'data');
  await fillFolder(folder);
  const backup = join(workspace.folder, 'backup.db');
  t.equal((await vp('backup', backup, '--data', folder)).code, 0);
  const testAudit = await openTestAudit(t, {}, { folder });
  await recordCalls(testAudit, ['r-1', 'r-2', 'r-3', 'r-4']);
  const killed = copyFolder(testAudit);
  const restore = (...flags: readonly string[]) => vp('restore', backup, '--data', killed, ...flags);
  const listRetained = () =>
    readdirSync(killed)
      .filter((name) => name.startsWith('audit.recent.'))
      .map((name) => join(killed, name));
  return { killed, restore, listRetained };
}

/** Without its second line, the others do not continue the chain. */
function breakRecentFile(folder: string): string {
  const file = recentFile({ folder });
  const [first = '', , ...others] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [first, ...others].join('\n'));
  return readFileSync(file, 'utf8');
}

t.test('a backup into a folder that does not exist names the folder', async (t) => {
  const { vp, folder } = createWorkspace(t, 'http://127.0.0.1:9');
  await fillFolder(join(folder, 'data'));
  const missing = join(folder, 'nowhere');
  const { code, stderr } = await vp(['backup', join(missing, 'a.db'), '--data', join(folder, 'data')], { variables });
  t.match(
    { code, stderr },
    { code: 2, stderr: /there is no folder \S+nowhere for the backup \(BACKUP_FOLDER_MISSING\)[\s\S]*mkdir -p/ },
  );
});

t.test('the file of calls that were left is kept, and named', async (t) => {
  const { killed, restore, listRetained } = await startRestore(t);
  const lines = breakRecentFile(killed);
  const { code, stdout, stderr } = await restore();
  t.match({ code, stderr }, { code: 0, stderr: /^warning AUDIT_CALLS_UNUSABLE/ });
  const [retained = ''] = listRetained();
  t.match(stdout, `calls that are not in it are kept as ${retained}\n`);
  t.equal(readFileSync(retained, 'utf8'), lines);
});

t.test('--json names it too, and is null where all calls are in the audit', async (t) => {
  const { killed, restore, listRetained } = await startRestore(t);
  const getStores = ({ stdout }: { readonly stdout: string }): unknown => JSON.parse(stdout).stores;
  const recentCalls = (file: string | null) => [
    { store: 'audit', recent_calls: file },
    { store: 'memory', recent_calls: undefined },
    { store: 'control', recent_calls: undefined },
  ];
  breakRecentFile(killed);
  t.match(getStores(await restore('--json')), recentCalls(listRetained()[0] ?? 'absent'));
  t.match(getStores(await restore('--json')), recentCalls(null));
});
