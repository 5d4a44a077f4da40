/** Commands that read the audit of a folder whose control plane was killed: they add its last calls, or say what is missing. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { settleRecentCalls } from '../../../src/commands/audit/recent-calls.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import { lockFolder } from '../../../src/store/engine.ts';
import { saveRestorePlan } from '../../../src/store/restore-plan.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { copyFolder, recentFile, recordCalls } from '../../hub/audit/recent-folder.ts';
import { masterKey, openTestAudit } from '../../hub/audit/test-audit.ts';
import { createWorkspace } from '../test-workspace.ts';

async function startWithRecentCalls(t: Test) {
  const { vp, folder: workspaceFolder } = createWorkspace(t, 'http://127.0.0.1:9');
  const testAudit = await openTestAudit(t, {}, { folder: join(workspaceFolder, 'plane') });
  await recordCalls(testAudit, ['r-1', 'r-2', 'r-3', 'r-4']);
  const folder = copyFolder(testAudit);
  const verify = (key = masterKey.bytes) =>
    vp(['audit', 'verify', '--data', folder], { variables: { VP_MASTER_KEY: key.toString('base64') } });
  return { folder, verify, lines: readFileSync(recentFile({ folder }), 'utf8') };
}

const intact = (entries: number) => new RegExp(`^✓ acme: ${entries} entries, 1 to ${entries}; chain end acme@`);

t.test('the calls are added, once', async (t) => {
  const { folder, verify } = await startWithRecentCalls(t);
  for (let time = 1; time <= 2; time += 1) t.match(await verify(), { code: 0, stdout: intact(4), stderr: '' });
  t.notOk(existsSync(recentFile({ folder })));
});

t.test('with a wrong master key they stay, and a warning says so', async (t) => {
  const { folder, verify, lines } = await startWithRecentCalls(t);
  const { code, stderr } = await verify(Buffer.alloc(32, 8));
  t.equal(code, 4);
  const { message: problem } = vpError('STORE_KEY_WRONG', { folder });
  const { message, cure } = vpError('AUDIT_CALLS_PENDING', { problem });
  t.ok(stderr.startsWith(`warning AUDIT_CALLS_PENDING: ${message}\n  ${cure}\n`), stderr);
  t.equal(readFileSync(recentFile({ folder }), 'utf8'), lines);
  t.match(await verify(), { code: 0, stdout: intact(4), stderr: '' });
});

t.test('calls that do not continue the tables stay for a start, and a warning says so each time', async (t) => {
  const { folder, verify, lines } = await startWithRecentCalls(t);
  const [first = '', ...others] = lines.split('\n');
  const changed = [first, ...others.slice(1)].join('\n');
  writeFileSync(recentFile({ folder }), changed);
  const { message } = vpError('AUDIT_CALLS_UNUSABLE', { count: 1, file: recentFile({ folder }) });
  for (let time = 1; time <= 2; time += 1) {
    const { stderr, ...verified } = await verify();
    t.match(verified, { code: 0, stdout: intact(2) });
    t.ok(stderr.startsWith(`warning AUDIT_CALLS_UNUSABLE: ${message}\n`), stderr);
    t.equal(readFileSync(recentFile({ folder }), 'utf8'), changed);
  }
});

t.test('an unfinished restore sets the file aside: nothing is added before', async (t) => {
  const { folder, verify, lines } = await startWithRecentCalls(t);
  copyFileSync(join(folder, 'audit.db'), join(folder, 'audit.db.part'));
  saveRestorePlan(folder, '20261130T010000', ['audit']);
  await verify();
  t.equal(readFileSync(recentFile({ folder }), 'utf8'), lines);
});

t.test('the folder is not locked while pages are checked', async (t) => {
  const { folder } = await startWithRecentCalls(t);
  const { environment } = memoryEnvironment({ variables: { VP_MASTER_KEY: masterKey.bytes.toString('base64') } });
  const checks: string[] = [];
  const checkPages = (file: string): void => {
    lockFolder(folder, 'control', 2).release();
    checks.push(file);
  };
  await settleRecentCalls(folder, environment, { onFailure: 'fail', checkPages });
  t.same(checks, [join(folder, 'audit.db')]);
  t.notOk(existsSync(recentFile({ folder })));
});

t.test('a control plane that starts and ends while pages are checked adds the calls', async (t) => {
  const { folder } = await startWithRecentCalls(t);
  const { environment } = memoryEnvironment({ variables: { VP_MASTER_KEY: masterKey.bytes.toString('base64') } });
  const laterLine = 'of a control plane that was killed after its start\n';
  const checks: string[] = [];
  const checkPages = (file: string): void => {
    if (checks.length === 0) writeFileSync(recentFile({ folder }), laterLine);
    checks.push(file);
  };
  await settleRecentCalls(folder, environment, { onFailure: 'fail', checkPages });
  t.equal(checks.length, 2, 'what it left is looked at too');
  t.equal(readFileSync(recentFile({ folder }), 'utf8'), laterLine);
});
