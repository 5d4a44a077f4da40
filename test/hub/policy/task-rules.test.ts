/** Requests about a task are decided like their tool: by role, approval and rules for answers, not by rules for arguments. */
import t from 'tap';
import type { PolicyCall } from '../../../src/hub/policy/call-policy.ts';
import { ana, create, createPrincipal, listVisible, max, startGovernance, tickets } from './test-governance.ts';

async function startTaskRules(t: Parameters<typeof startGovernance>[0], document: Record<string, unknown>) {
  const { governance } = await startGovernance(t);
  await governance.setPolicy(ana, 'acme', {
    document,
    if_revision: (await governance.getPolicy(ana, 'acme')).revision,
  });
  await listVisible(governance, [create]);
  const request: PolicyCall = {
    principal: createPrincipal(max),
    connection: tickets,
    tool: 'create',
    arguments: { taskId: 'task-1' },
  };
  return (overrides: Partial<PolicyCall> = {}) => governance.policy.decideTask({ ...request, ...overrides });
}

t.test('a role that may not use the tool has no access to its tasks', async (t) => {
  const decideTask = await startTaskRules(t, { roles: { viewer: { allow: [] } } });
  t.match(await decideTask(), { allowed: true });
  t.match(await decideTask({ principal: createPrincipal(max, 'viewer') }), { allowed: false, reason: /viewer/ });
});

t.test('a list of tasks is decided by the same rules, and counts nothing', async (t) => {
  const { governance } = await startGovernance(t);
  const limits = [{ per: 'person', calls_a_minute: 1 }] as const;
  const document = { roles: { viewer: { allow: [] } }, limits: [...limits] };
  await governance.setPolicy(ana, 'acme', { document, if_revision: 0 });
  await listVisible(governance, [create]);
  const find = (role: 'member' | 'viewer', tool = 'create') =>
    governance.policy.findTaskRefusal({ principal: createPrincipal(max, role), connection: tickets, tool });
  for (let times = 0; times < 3; times += 1) t.equal(await find('member'), undefined);
  t.match(await find('viewer'), { reason: /viewer/ });
  t.match(await find('member', 'other'), { reason: /never listed/ });
  await listVisible(governance, [{ ...create, description: 'Changed.' }]);
  t.match(await find('member'), { reason: /changed/ });
});

t.test('an unknown tool has no tasks', async (t) => {
  const decideTask = await startTaskRules(t, {});
  t.match(await decideTask({ tool: 'other' }), { allowed: false });
});
