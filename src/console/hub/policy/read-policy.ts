import type { HubPolicyDocument } from '../../../contract/hub-policy-api.ts';

/** What was written, or what is wrong with it. What the policy means the server checks. */
export type ReadPolicy =
  | { readonly document: HubPolicyDocument; readonly problem?: undefined }
  | { readonly document?: undefined; readonly problem: string };

const parts: ReadonlySet<string> = new Set(['roles', 'arguments', 'limits', 'bounds', 'audit']);

function isDocument(value: unknown): value is HubPolicyDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the text of the editor. */
export function readPolicy(text: string): ReadPolicy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `No JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isDocument(value)) return { problem: 'A policy is an object: {…}' };
  const strange = Object.keys(value).find((name) => !parts.has(name));
  if (strange === undefined) return { document: value };
  return { problem: `A policy has no ${JSON.stringify(strange)}; it has ${[...parts].join(', ')}` };
}
