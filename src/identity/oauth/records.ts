/** The OAuth server's records at rest: sealed, and bound to their place; ids only as keyed hashes. */
import { seal, unseal } from '../../secrets/sealing.ts';
import type { OAuthRow } from '../../store/control/identity-oauth.ts';
import { hashOf, type IdentityContext } from '../context.ts';

/** What a record holds, as the OAuth server wrote it. */
export type Payload = Readonly<Record<string, unknown>>;

/** How an id, a grant or a code of a record is stored. */
export function oauthHash(context: Pick<IdentityContext, 'keys'>, what: string, value: string): string {
  return hashOf(context, `oauth/${what}/${value}`);
}

function placeOf(kind: string, hash: string): string {
  return `oauth_records/sealed/${kind}/${hash}`;
}

/** Seals a payload for its place. */
export function sealPayload(
  { keys, random }: IdentityContext,
  kind: string,
  hash: string,
  payload: Payload,
): Uint8Array {
  return seal(keys.dataKey, placeOf(kind, hash), Buffer.from(JSON.stringify(payload)), random);
}

/** Opens a record; undefined when it was not sealed for this place by this store. */
export function openPayload({ keys }: IdentityContext, row: OAuthRow): Payload | undefined {
  const plain = unseal(keys.dataKey, placeOf(row.kind, row.hash), row.sealed);
  if (!plain) return undefined;
  const value: unknown = JSON.parse(Buffer.from(plain).toString());
  return isPayload(value) ? value : undefined;
}

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
