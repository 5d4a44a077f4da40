/** The half of the session that pages store (contract/identity-api.ts). The other half is a cookie that scripts cannot read. */
import { readStorage, writeStorage } from '../browser.ts';
import { takeEarlyQuery } from '../palette/early-query.ts';
import { dropEarlyResponses } from './early-responses.ts';

const storageKey = 'vp.proof';

export function credentialHeaders(): Record<string, string> {
  const proof = readStorage(storageKey);
  return proof === undefined ? {} : { 'X-VP-Proof': proof };
}

export function storeProof(proof: string): void {
  dropEarlyResponses();
  // Typed before the page asked for a sign-in.
  takeEarlyQuery();
  writeStorage(storageKey, proof);
}

export function clearProof(): void {
  dropEarlyResponses();
  writeStorage(storageKey, undefined);
}
