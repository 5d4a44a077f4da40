/**
 * Sealing: AES-256-GCM (NIST SP 800-38D). A sealed value names its key and is bound to a context (such as
 * `table/column/row`), so that it cannot be moved elsewhere.
 *
 * Layout: version (1 byte, 1) | key id (4 bytes, big endian) | nonce (12) | tag (16) | ciphertext.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../environment/random.ts';

/** A 32-byte key with the number that sealed values refer to. */
export type SealingKey = { readonly id: number; readonly bytes: Uint8Array };

const layout = { version: 1, header: 5, nonce: 12, tag: 16 } as const;

/** `context` is where the sealed value belongs; unsealing requires the same. */
export function seal(key: SealingKey, context: string, plain: Uint8Array, random: Random): Uint8Array {
  const header = Buffer.alloc(layout.header);
  header.writeUInt8(layout.version, 0);
  header.writeUInt32BE(key.id, 1);
  const nonce = random.bytes(layout.nonce);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.concat([header, Buffer.from(context)]));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
}

/** The id of the key of a sealed value; undefined when `sealed` is not a sealed value. */
export function readKeyId(sealed: Uint8Array): number | undefined {
  const bytes = Buffer.from(sealed);
  if (bytes.length < layout.header + layout.nonce + layout.tag || bytes[0] !== layout.version) return undefined;
  return bytes.readUInt32BE(1);
}

/** Undefined when key, context and bytes do not belong together. */
export function unseal(key: SealingKey, context: string, sealed: Uint8Array): Uint8Array | undefined {
  if (readKeyId(sealed) !== key.id) return undefined;
  const bytes = Buffer.from(sealed);
  const header = bytes.subarray(0, layout.header);
  const nonceEnd = layout.header + layout.nonce;
  const bodyStart = nonceEnd + layout.tag;
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(layout.header, nonceEnd));
  decipher.setAAD(Buffer.concat([header, Buffer.from(context)])).setAuthTag(bytes.subarray(nonceEnd, bodyStart));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(bodyStart)), decipher.final()]);
  } catch {
    return undefined;
  }
}
