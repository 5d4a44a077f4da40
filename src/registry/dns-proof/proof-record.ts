/** The TXT record with a domain's public key: `v=MCPv1; k=ed25519; p=<base64>`. A domain may have several. */
import { type DomainPublicKey, isValidPublicKey, signatureAlgorithms } from './signature.ts';

/** A record that looks like a key record; `key` is undefined when it is malformed. */
export type ProofRecord = { readonly text: string; readonly key: DomainPublicKey | undefined };

const recordPattern = /^v=MCPv1;\s{0,10}k=([a-z0-9]{1,20});\s{0,10}p=([A-Za-z0-9+/]{1,200}={0,2});?$/;

export function formatProofRecord({ algorithm, text }: DomainPublicKey): string {
  return `v=MCPv1; k=${algorithm}; p=${text}`;
}

/** The records that look like key records, among a domain's TXT records. */
export function parseProofRecords(records: readonly string[]): readonly ProofRecord[] {
  const candidates = records.map((text) => text.trim()).filter((text) => /^v=MCPv1\b/i.test(text));
  return candidates.map((text) => ({ text, key: parseKey(text) }));
}

function parseKey(record: string): DomainPublicKey | undefined {
  const [, name, text = ''] = recordPattern.exec(record) ?? [];
  const algorithm = signatureAlgorithms.find((known) => known === name);
  const key = algorithm && { algorithm, text };
  return key && isValidPublicKey(key) ? key : undefined;
}
