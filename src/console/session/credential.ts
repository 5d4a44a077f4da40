/** The half of the session that pages keep (contract/identity-api.ts); the other half is a cookie that no script sees. */
import { store, stored } from '../browser.ts';

const name = 'vp.proof';

/** Headers that go with every call. */
export function credentialHeaders(): Record<string, string> {
  const proof = stored(name);
  return proof === undefined ? {} : { 'X-VP-Proof': proof };
}

/** Keeps the proof that a sign-in told. */
export function keepProof(proof: string): void {
  store(name, proof);
}

/** Forgets it. */
export function forgetProof(): void {
  store(name, undefined);
}
