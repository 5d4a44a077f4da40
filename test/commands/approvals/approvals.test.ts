/** `vp approvals`: a call is shown whole, and only what was shown is decided. */
import t from 'tap';
import { getDenial, startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { startHubCommands } from '../hub-commands.ts';

t.test('a held call is listed, shown, approved by its digest and taken back', async (t) => {
  const hub = await startApprovalHub(t);
  const run = await startHubCommands(t, hub);
  const vp = (...args: string[]) => run('approvals', ...args);
  t.match(await vp('list', 'acme'), { code: 0, stdout: 'no call waits for an approval\n' });
  const { approval: id = '' } = getDenial(await hub.call('{"text":"a\\u200bb\\u001b[2J"}'));
  t.match(await vp('list', 'acme'), {
    stdout: new RegExp(`${id} +pending +good__echo +Max +text: a⟦U\\+200B⟧b⟦U\\+001B⟧\\[2J`),
  });
  const { stdout } = await vp('approve', 'acme', id);
  t.match(stdout, / {2}arguments\.text: a⟦U\+200B⟧b⟦U\+001B⟧\[2J\n/);
  t.match(stdout, /marked characters: U\+200B ×1, U\+001B ×1/);
  t.match(stdout, /^person +Max \(member\)$/m);
  const [, digest = ''] = new RegExp(`vp approvals approve acme ${id} --digest (\\S+)`).exec(stdout) ?? [];
  t.match(await vp('list', 'acme', '--json'), { stdout: /"state": "pending"/ }, 'nothing is decided without a digest');
  t.match(
    await vp('deny', 'acme', id, '--comment', 'not now'),
    { code: 2, stdout: '', stderr: /FLAG_NEEDS_ANOTHER[\s\S]*--digest/ },
    'a comment without a digest would be lost, and nothing decided',
  );
  t.match(await vp('approve', 'acme', id, '--digest', 'x'), { code: 2, stderr: /HUB_APPROVAL_CHANGED/ });
  t.match(await vp('approve', 'acme', id, '--digest', digest), {
    code: 0,
    stdout: 'good__echo by Max is approved, once\n',
  });
  t.match(await vp('show', 'acme', id), {
    stdout: /Take it back: `vp approvals deny acme \S+ --digest \S+ --control-plane http:\S+`/,
  });
  const denied = await vp('deny', 'acme', id, '--digest', digest, '--comment', 'not now', '--json');
  t.equal(denied.code, 0, denied.stdout);
  t.match(JSON.parse(denied.stdout), { approval: { state: 'denied', comment: 'not now' } });
  t.match(await vp('approve', 'acme', id, '--digest', digest), { code: 2, stderr: /HUB_APPROVAL_ENDED/ });
  t.match(await vp('list', 'acme', '--all'), { stdout: /denied/ });
  t.match(await vp('show', 'acme', 'nothing'), { code: 2, stderr: /HUB_APPROVAL_UNKNOWN/ });
  const { stdout: audit } = await run('audit', 'search', 'acme');
  t.match(audit, / approval requested: good__echo +ok /, 'a request is not shown as a call that was made');
  t.match(audit, / approval denied: good__echo +denied /);
  t.equal(hub.sent().length, 0);
});
