/** Ids that shells complete, from a control plane with what they name. */
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startHubCommands } from '../hub-commands.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

/** What follows the command, one line each, without the descriptions. */
function listValues(stdout: string): readonly string[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0] ?? '');
}

t.test('suites, failures, schedules and channels are proposed where they fit', async (t) => {
  const { origin } = await startTarget(t, respondWithJson({ count: 3 }));
  const checks = ['status=404'];
  const workspace = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a', { checks }),
    'b.md': scenarioText('RT-b', { checks }),
  });
  const { vp, registerInstance, startExecutor } = await startTestControlPlane(t, workspace);
  await registerInstance('shop');
  await startExecutor('shop', origin);
  await vp(['run', '--instance', 'shop', 'a.md', 'b.md']);
  await vp(['schedules', 'add', 'nightly', '--every', '6h', '--instance', 'shop']);
  await vp(['notifications', 'add', 'team', '--kind', 'slack'], {
    variables: { VP_CHANNEL_SECRET: 'https://a.example/hook' },
  });
  const propose = async (...words: readonly string[]) => listValues((await vp(['complete', '--', ...words])).stdout);
  const json = async (...words: readonly string[]) => JSON.parse((await vp([...words, '--json'])).stdout);

  const { suites } = await json('suites', '--instance', 'shop');
  const { failures } = await json('failures', '--instance', 'shop');
  t.equal(suites.length, 1);
  t.equal(failures.length, 2);
  t.same(await propose('suites', 'show', '--instance', 'shop', ''), [suites[0].suite_id]);
  t.same(
    [...(await propose('failures', 'show', ''))].sort(),
    failures.map(({ failure_id: id }: { failure_id: string }) => id).sort(),
    'the only instance needs no name',
  );
  t.same(await propose('schedules', 'pause', 'n'), ['nightly']);
  t.same(await propose('suites', '--schedule', ''), ['nightly']);
  t.same(await propose('notifications', 'test', ''), ['team']);
});

t.test('tokens, and the approvals of the hub before them, are proposed', async (t) => {
  const hub = await startApprovalHub(t);
  const vp = await startHubCommands(t, hub);
  const held = hub.call();
  const propose = async (...words: readonly string[]) => listValues((await vp('complete', '--', ...words)).stdout);
  const approval = await eventually(
    async () => JSON.parse((await vp('approvals', 'list', 'acme', '--json')).stdout).approvals[0]?.approval,
  );
  t.same(await propose('approvals', 'approve', 'acme', ''), [approval]);
  const { hub_tokens: tokens } = JSON.parse((await vp('tokens', 'list', '--json')).stdout);
  t.same(
    [...(await propose('tokens', 'revoke', ''))].sort(),
    tokens.map(({ token_id: id }: { token_id: string }) => id).sort(),
  );
  await held;
});
