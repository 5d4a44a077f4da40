import type { HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';

/** Checks the syntax only. The server validates the policy. */
export type ParsedPolicy =
  | { readonly document: HubPolicyDocument; readonly problem?: undefined }
  | { readonly document?: undefined; readonly problem: string };

const policyMembers: ReadonlySet<string> = new Set(['roles', 'arguments', 'limits', 'bounds', 'audit']);

function isDocument(value: unknown): value is HubPolicyDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parsePolicyText(text: string): ParsedPolicy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isDocument(value)) return { problem: 'A policy must be a JSON object: {…}' };
  const unknownMember = Object.keys(value).find((name) => !policyMembers.has(name));
  if (unknownMember === undefined) return { document: value };
  return {
    problem: `Unknown member ${JSON.stringify(unknownMember)}. Allowed members are ${[...policyMembers].join(', ')}`,
  };
}
