import type { PolicyRefusal } from '../../../src/hub/policy/call-policy.ts';
import { type CallFacts, findContentRefusal, findToolRefusal } from '../../../src/hub/policy/call-rules.ts';
import type { CompiledPolicy } from '../../../src/hub/policy/compiled-policy.ts';

/** What the rules say of a call: of its tool, then of its parts, as the engine asks them for an approved definition. */
export function findCallRefusal(policy: CompiledPolicy, facts: CallFacts): PolicyRefusal | undefined {
  return findToolRefusal(policy, facts) ?? findContentRefusal(policy, facts);
}
