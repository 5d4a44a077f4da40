/** The TXT record that shows a domain's public key: `v=MCPv1; k=ed25519; p=<base64>`. A domain may have several. */
import { algorithms, isPublicKey, type PublicKey } from './signature.ts';

/** What a record that wants to be a proof says; without a key where it cannot be read. */
export type ProofRecord = { readonly text: string; readonly key: PublicKey | undefined };

const form = /^v=MCPv1;\s{0,10}k=([a-z0-9]{1,20});\s{0,10}p=([A-Za-z0-9+/]{1,200}={0,2});?$/;

/** The record for a key. */
export function recordOf({ algorithm, text }: PublicKey): string {
  return `v=MCPv1; k=${algorithm}; p=${text}`;
}

/** Those of a domain's TXT records that want to be proofs. */
export function proofRecords(records: readonly string[]): readonly ProofRecord[] {
  const own = records.map((text) => text.trim()).filter((text) => /^v=MCPv1\b/i.test(text));
  return own.map((text) => ({ text, key: keyIn(text) }));
}

function keyIn(record: string): PublicKey | undefined {
  const [, name, text = ''] = form.exec(record) ?? [];
  const algorithm = algorithms.find((known) => known === name);
  const key = algorithm && { algorithm, text };
  return key && isPublicKey(key) ? key : undefined;
}
