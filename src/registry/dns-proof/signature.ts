/**
 * Keys and signatures of domain proofs, in the formats of the official registry: Ed25519 (32 bytes; signature of 64), or ECDSA on
 * P-384 with SHA-384 (compressed point of 49 bytes; signature R and S, 48 bytes each).
 */
import { createPublicKey, ECDH, type KeyObject, sign, verify } from 'node:crypto';

/** Names as in TXT records. */
export const signatureAlgorithms = ['ed25519', 'ecdsap384'] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** `text` is the base64 form of TXT records. */
export type DomainPublicKey = { readonly algorithm: SignatureAlgorithm; readonly text: string };

const algorithmFacts = {
  ed25519: { keyBytes: 32, signatureBytes: 64, digest: null },
  ecdsap384: { keyBytes: 49, signatureBytes: 96, digest: 'sha384' },
} as const;

function coordinates(point: Uint8Array): Buffer {
  return Buffer.from(ECDH.convertKey(point, 'secp384r1', undefined, undefined, 'uncompressed'));
}

/** Undefined when the text is not a key of its algorithm. */
function toKeyObject({ algorithm, text }: DomainPublicKey): KeyObject | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== algorithmFacts[algorithm].keyBytes || bytes.toString('base64') !== text) return undefined;
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

export function isValidPublicKey(key: DomainPublicKey): boolean {
  return toKeyObject(key) !== undefined;
}

/** Whether `signature` (hexadecimal digits) is the key's signature of `text`. */
export function isSignedBy(key: DomainPublicKey, text: string, signature: string): boolean {
  const { signatureBytes, digest } = algorithmFacts[key.algorithm];
  if (signature.length !== signatureBytes * 2 || !/^[\da-f]+$/i.test(signature)) return false;
  const publicKey = toKeyObject(key);
  if (!publicKey) return false;
  return verify(
    digest,
    Buffer.from(text),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'hex'),
  );
}

/** Undefined for a key of another algorithm. */
export function findAlgorithm(key: KeyObject): SignatureAlgorithm | undefined {
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  const isP384 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'secp384r1';
  return isP384 ? 'ecdsap384' : undefined;
}

/** The public half in the form of TXT records. */
export function exportPublicKey(key: KeyObject, algorithm: SignatureAlgorithm): DomainPublicKey {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  const bytes = [x, y].filter(Boolean).map((part) => Buffer.from(part, 'base64url'));
  if (algorithm === 'ed25519') return { algorithm, text: Buffer.concat(bytes).toString('base64') };
  const point = Buffer.concat([Buffer.of(4), ...bytes]);
  const compressedPoint = Buffer.from(ECDH.convertKey(point, 'secp384r1', undefined, undefined, 'compressed'));
  return { algorithm, text: compressedPoint.toString('base64') };
}

/** Returns the signature in hexadecimal digits. */
export function signText(key: KeyObject, algorithm: SignatureAlgorithm, text: string): string {
  const { digest } = algorithmFacts[algorithm];
  return sign(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('hex');
}

/** The first characters of a key, for messages. */
export function abbreviateKey({ algorithm, text }: DomainPublicKey): string {
  return `${algorithm} ${text.slice(0, 10)}…`;
}
