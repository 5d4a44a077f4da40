/** Who decides a call that is held, and what they are shown. */
import t from 'tap';
import type { ApprovalRule } from '../../../src/contract/hubs/policy-api.ts';
import { isApprover } from '../../../src/hub/approvals/approval-rules.ts';
import { putMember, readRefusal } from '../fixtures/hub-people.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { getDenial, startApprovalHub } from './approval-hub.ts';

const facts = { personId: 'p-vic', email: 'Vic@example.com', role: 'viewer' } as const;
const cases: readonly (readonly [rules: readonly Omit<ApprovalRule, 'tools'>[], isAllowed: boolean])[] = [
  [[], false],
  [[{}], false],
  [[{ roles: ['viewer'] }], true],
  [[{ roles: ['owner', 'member'] }], false],
  [[{ people: ['p-vic'] }], true],
  [[{ people: ['vic@EXAMPLE.com'] }], true],
  [[{ people: ['Vic', 'p-max'] }], false],
  [[{ people: ['p-max'], roles: ['viewer'] }], true],
  [[{ people: ['p-vic'] }, { roles: ['viewer'] }], true],
  [[{ people: ['p-vic'] }, {}], false],
];

t.test(
  'approvers have a role or are named by id or address, for each rule of the tool, and never decide for themselves',
  async (t) => {
    for (const [rules, isAllowed] of cases) {
      const complete = rules.map((rule) => ({ tools: 'good__*', ...rule }));
      t.equal(isApprover(complete, facts, 'p-max'), isAllowed, JSON.stringify(rules));
      t.notOk(isApprover(complete, facts, 'p-vic'), 'a call of their own');
    }
  },
);

t.test('only the approvers of the rule decide, also where they may call nothing', async (t) => {
  const { ana, max, vic, ids, call, decide, sent } = await startApprovalHub(t, { people: ['vic@example.com'] });
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  const id = getDenial(await call()).approval ?? '';
  for (const owner of [ana, max])
    t.equal(await readRefusal(decide(id, 'approve', owner)), '403 HUB_APPROVER_INVALID', 'an owner who is not named');
  t.equal((await decide(id, 'approve', vic)).status, 200);
  t.match(await call(), { content: [{ text: 'hello' }] });
  t.equal(sent().length, 1);
});

t.test('an approver is shown client, person, tool, arguments, pin, and what was decided before', async (t) => {
  const { client, maxToken, call, list, get, decide } = await startApprovalHub(t);
  const first = getDenial(await call()).approval ?? '';
  await decide(first, 'deny', undefined, { comment: 'not yet' });
  const other = getDenial(await call('{"text":"other"}')).approval ?? '';
  await decide(other, 'approve');
  const agent = await client(maxToken.token, modernClient);
  await agent.callTool({ name: 'good__echo', arguments: { text: 'hello', count: 3 } });
  const [newest] = await list();
  const details = await get(newest?.approval ?? '');
  t.match(details, {
    ...{ connection: 'good', tool: 'echo', person: 'Max', role: 'member', via: 'token', via_name: 'ci' },
    ...{ client: 'test', state: 'pending', policy_revision: 1, may_decide: true, is_complete: true },
    lines: ['arguments.text: hello', 'arguments.count: 3'],
    earlier: [
      { approval: other, state: 'approved', decided_by: 'Ana', is_same_call: false },
      { approval: first, state: 'denied', decided_by: 'Ana', is_same_call: false },
    ],
  });
  t.match(details.pin, /^\S{20,}$/, 'the digest of the definition that was approved');
});
