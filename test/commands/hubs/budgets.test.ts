/** `vp hubs budgets`, and budgets in the file of a hub. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { startHubCommands } from '../hub-commands.ts';

t.test('budgets are added, shown with what was used, and removed', async (t) => {
  const hub = await startApprovalHub(t);
  await hub.setPolicy({ audit: { lists: true } });
  const client = await hub.client(hub.maxToken.token);
  await eventually(async () => (await client.listTools()).tools.some(({ name }) => name === 'good__echo'));
  const vp = await startHubCommands(t, hub);
  t.match(await vp('hubs', 'budgets', 'acme'), {
    code: 0,
    stdout: /^acme has no budgets; add one with `vp hubs budgets acme --per/,
  });
  const added = await vp('hubs', 'budgets', 'acme', '--per', 'person', '--calls', '2', '--tools', 'good__*');
  t.match(added, { code: 0, stdout: '0: each person a day, for good__*: nothing was used\n' });
  await vp('hubs', 'budgets', 'acme', '--per', 'hub', '--period', 'month', '--tokens', '1000000');
  for (let count = 0; count < 2; count += 1) await hub.call();
  t.match(await vp('hubs', 'budgets', 'acme'), {
    stdout:
      /0 +each person a day, for good__\* +Max +2 of 2 calls +100 [\s\S]*1 +the hub a month +the hub +\d+ of 1000000 tokens/,
  });
  const { stdout } = await vp('hubs', 'budgets', 'acme', '--json');
  t.match(JSON.parse(stdout), { budgets: [{ per: 'person' }, { per: 'hub' }], items: [{ state: 'used_up' }, {}] });
  t.match(await vp('hubs', 'budgets', 'acme', '--remove', '2'), {
    code: 2,
    stderr: /--remove must be the number of a budget, from 0 to 1, not `2`/,
  });
  await vp('hubs', 'budgets', 'acme', '--remove', '0');
  t.match(JSON.parse((await vp('hubs', 'budgets', 'acme', '--json')).stdout), { budgets: [{ per: 'hub' }] });
  const policy = JSON.parse(await (await hub.ana.ask('GET', '/api/v1/hubs/acme/policy')).text());
  t.match(policy.document, { audit: { lists: true } }, 'the rest of the policy is unchanged');
});

t.test('incomplete budgets are refused before anything is read', async (t) => {
  const vp = await startHubCommands(t, await startApprovalHub(t));
  for (const args of [
    ['--per', 'hub'],
    ['--calls', '5'],
    ['--remove', '0', '--per', 'hub'],
    ['--remove', '3'],
    ['--period', 'month'],
    ['--remove', '0', '--period', 'day'],
  ])
    t.match(await vp('hubs', 'budgets', 'acme', ...args), { code: 2, stderr: /FLAG_INVALID/ }, args.join(' '));
});

t.test('budgets travel in the file of a hub', async (t) => {
  const hub = await startApprovalHub(t);
  const vp = await startHubCommands(t, hub);
  await vp('hubs', 'budgets', 'acme', '--per', 'token', '--bytes', '5000');
  const file = join(t.testdirName, 'hub.yaml');
  const { stdout } = await vp('hubs', 'export', 'acme');
  t.match(stdout, /budgets:\n\s+- per: token\n\s+period: day\n\s+bytes: 5000/);
  writeFileSync(file, stdout.replace('bytes: 5000', 'calls: 7'));
  t.match(await vp('hubs', 'diff', file), { stdout: /-.*bytes: 5000\n\+.*calls: 7/ });
  t.match(await vp('hubs', 'apply', file), { code: 0 });
  t.match(JSON.parse((await vp('hubs', 'budgets', 'acme', '--json')).stdout), {
    budgets: [{ per: 'token', calls: 7 }],
  });
  t.match(readFileSync(file, 'utf8'), /calls: 7/);
});
