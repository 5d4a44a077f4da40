/** Two owners who change different members of a policy lose nothing. */
import t from 'tap';
import { mergePolicies } from '../../../../src/console/hub/policy/merge-policies.ts';
import type { HubPolicyDocument } from '../../../../src/contract/hubs/policy-api.ts';
import { defaultPolicy } from '../../../../src/hub/policy/compiled-policy.ts';

const base: HubPolicyDocument = { roles: { viewer: { read_only: true } }, limits: [], new_tools: 'hold' };

t.test('changes of different members are merged, and removals too', async (t) => {
  const mine: HubPolicyDocument = { ...base, limits: [{ per: 'token', at_once: 2 }] };
  const { new_tools: _removed, ...theirs }: HubPolicyDocument = { ...base, resources: 'any' };
  t.same(mergePolicies(base, mine, theirs), {
    document: { roles: base.roles, limits: [{ per: 'token', at_once: 2 }], resources: 'any' },
    conflicts: [],
  });
});

t.test('a member that both changed is a conflict, unless they changed it alike', async (t) => {
  const mine: HubPolicyDocument = { ...base, roles: {}, new_tools: 'offer' };
  const theirs: HubPolicyDocument = { ...base, roles: { member: { deny: ['*'] } }, new_tools: 'offer' };
  const merged = mergePolicies(base, mine, theirs);
  t.same(merged.conflicts, ['roles']);
  t.same(merged.document, mine);
});

t.test('no member of a policy is lost', async (t) => {
  t.same(mergePolicies({}, defaultPolicy, {}).document, defaultPolicy);
  t.same(mergePolicies({}, {}, defaultPolicy).document, defaultPolicy);
});
