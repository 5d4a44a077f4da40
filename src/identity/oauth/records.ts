/** OAuth records at rest: sealed and bound to their row, with ids stored as keyed hashes. */

import { isObject } from '../../json/json-object.ts';
import { seal, unseal } from '../../secrets/sealing.ts';
import type { OAuthRecordRow } from '../../store/control/oauth/oauth-records.ts';
import { hashSecret, type IdentityContext } from '../context.ts';

/** The content of a record, as oidc-provider wrote it. */
export type OAuthPayload = Readonly<Record<string, unknown>>;

/** The keyed hash under which an id, a grant or a code is stored. */
export function hashOAuthValue(context: Pick<IdentityContext, 'keys'>, purpose: string, value: string): string {
  return hashSecret(context, `oauth/${purpose}/${value}`);
}

function getSealingContext(kind: string, hash: string): string {
  return `oauth_records/sealed/${kind}/${hash}`;
}

export function sealPayload(
  { keys, random }: IdentityContext,
  kind: string,
  hash: string,
  payload: OAuthPayload,
): Uint8Array {
  return seal(keys.dataKey, getSealingContext(kind, hash), Buffer.from(JSON.stringify(payload)), random);
}

/** Opens a record; undefined when it was not sealed for this row by this store. */
export function unsealPayload({ keys }: IdentityContext, row: OAuthRecordRow): OAuthPayload | undefined {
  const plain = unseal(keys.dataKey, getSealingContext(row.kind, row.hash), row.sealed);
  if (!plain) return undefined;
  const value: unknown = JSON.parse(Buffer.from(plain).toString());
  return isPayload(value) ? value : undefined;
}

function isPayload(value: unknown): value is OAuthPayload {
  return isObject(value);
}
