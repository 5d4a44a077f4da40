import type { HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';
import { isObject } from '../../../json/json-object.ts';

/** Checks the syntax only. The server validates the policy. */
export type ParsedPolicy =
  | { readonly document: HubPolicyDocument; readonly problem?: undefined }
  | { readonly document?: undefined; readonly problem: string };

/** A record and not a list, so that a member which the contract gains cannot be missing here. */
const memberRecord: Readonly<Record<keyof HubPolicyDocument, true>> = {
  roles: true,
  callers: true,
  arguments: true,
  limits: true,
  budgets: true,
  approvals: true,
  approve_by_client: true,
  bounds: true,
  new_tools: true,
  new_prompts: true,
  new_resources: true,
  resources: true,
  direct_memory: true,
  listeners: true,
  audit: true,
};

function isPolicyMember(name: string): name is keyof HubPolicyDocument {
  return Object.hasOwn(memberRecord, name);
}

/** All members that a policy may have. */
export const policyMembers: readonly (keyof HubPolicyDocument)[] = Object.keys(memberRecord).filter(isPolicyMember);

function isDocument(value: unknown): value is HubPolicyDocument {
  return isObject(value);
}

export function parsePolicyText(text: string): ParsedPolicy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isDocument(value)) return { problem: 'A policy must be a JSON object: {…}' };
  const unknownMember = Object.keys(value).find((name) => !isPolicyMember(name));
  if (unknownMember === undefined) return { document: value };
  return {
    problem: `Unknown member ${JSON.stringify(unknownMember)}. Allowed members are ${policyMembers.join(', ')}`,
  };
}
