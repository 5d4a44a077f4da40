/** Merges two changes of the same policy, member by member. */
import type { HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';
import { policyMembers } from './parse-policy.ts';

export type PolicyMerge = {
  readonly document: HubPolicyDocument;
  /** Members that both changed, each in another way; `document` has the first one's. */
  readonly conflicts: readonly (keyof HubPolicyDocument)[];
};

const toText = (value: unknown): string => JSON.stringify(value) ?? '';

export function mergePolicies(
  base: HubPolicyDocument,
  mine: HubPolicyDocument,
  theirs: HubPolicyDocument,
): PolicyMerge {
  const conflicts: (keyof HubPolicyDocument)[] = [];
  let document: HubPolicyDocument = {};
  for (const member of policyMembers) {
    const [baseText, mineText, theirText] = [base, mine, theirs].map((policy) => toText(policy[member]));
    if (mineText !== baseText && theirText !== baseText && mineText !== theirText) conflicts.push(member);
    const source = mineText === baseText ? theirs : mine;
    if (source[member] !== undefined) document = { ...document, [member]: source[member] };
  }
  return { document, conflicts };
}
