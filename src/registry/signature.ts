/**
 * Keys and signatures of proofs, in the forms of the official registry: Ed25519 (32 bytes; signature of 64), or ECDSA on
 * P-384 with SHA-384 (compressed point of 49 bytes; signature R and S, 48 bytes each).
 */
import { createPublicKey, ECDH, type KeyObject, sign, verify } from 'node:crypto';

/** By the names that they have in TXT records. */
export const algorithms = ['ed25519', 'ecdsap384'] as const;
/** One of {@link algorithms}. */
export type Algorithm = (typeof algorithms)[number];

/** A public key as a record has it: base64 of its bytes. */
export type PublicKey = { readonly algorithm: Algorithm; readonly text: string };

const facts = {
  ed25519: { keyBytes: 32, signatureBytes: 64, digest: null },
  ecdsap384: { keyBytes: 49, signatureBytes: 96, digest: 'sha384' },
} as const;

function coordinates(point: Uint8Array): Buffer {
  return Buffer.from(ECDH.convertKey(point, 'secp384r1', undefined, undefined, 'uncompressed'));
}

/** The key itself; undefined when the text is no key of its algorithm. */
function keyOf({ algorithm, text }: PublicKey): KeyObject | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== facts[algorithm].keyBytes || bytes.toString('base64') !== text) return undefined;
  try {
    if (algorithm === 'ed25519')
      return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });
    const point = coordinates(bytes);
    const [x, y] = [point.subarray(1, 49).toString('base64url'), point.subarray(49).toString('base64url')];
    return createPublicKey({ key: { kty: 'EC', crv: 'P-384', x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Whether the text is a key of its algorithm. */
export function isPublicKey(key: PublicKey): boolean {
  return keyOf(key) !== undefined;
}

/** Whether `signature` (hexadecimal digits) is the key's signature of `text`. */
export function isSignedBy(key: PublicKey, text: string, signature: string): boolean {
  const { signatureBytes, digest } = facts[key.algorithm];
  if (signature.length !== signatureBytes * 2 || !/^[\da-f]+$/i.test(signature)) return false;
  const opened = keyOf(key);
  if (!opened) return false;
  return verify(digest, Buffer.from(text), { key: opened, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'hex'));
}

/** The algorithm of a private key; undefined for one of another kind. */
export function algorithmOf(key: KeyObject): Algorithm | undefined {
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  const isP384 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'secp384r1';
  return isP384 ? 'ecdsap384' : undefined;
}

/** The public half as a record has it. */
export function publicKeyOf(key: KeyObject, algorithm: Algorithm): PublicKey {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  const bytes = [x, y].filter(Boolean).map((part) => Buffer.from(part, 'base64url'));
  if (algorithm === 'ed25519') return { algorithm, text: Buffer.concat(bytes).toString('base64') };
  const point = Buffer.concat([Buffer.of(4), ...bytes]);
  const short = Buffer.from(ECDH.convertKey(point, 'secp384r1', undefined, undefined, 'compressed'));
  return { algorithm, text: short.toString('base64') };
}

/** The signature of `text`, in hexadecimal digits. */
export function signed(key: KeyObject, algorithm: Algorithm, text: string): string {
  const { digest } = facts[algorithm];
  return sign(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('hex');
}

/** Enough of a key to tell it from others. */
export function shortKey({ algorithm, text }: PublicKey): string {
  return `${algorithm} ${text.slice(0, 10)}…`;
}
