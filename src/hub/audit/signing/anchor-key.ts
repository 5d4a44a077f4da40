/** The key that signs statements about the audit. Ed25519 in PEM; the file can be outside of the data folder, on another disk. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { vpError } from '../../../errors/vp-error.ts';
import { ensureKeyFolder, readKeyFile, writeSecretFile } from '../../../secrets/key-file.ts';
import { isOpenSshKey, parseOpenSshKey } from './openssh-key.ts';

export type AnchorKey = {
  /** Base64url of the 32 bytes of the public key. */
  readonly publicKey: string;
  /** Base64url. Throws AUDIT_KEY_UNAVAILABLE while a key outside of this process does not sign. */
  sign(text: string): Promise<string>;
};

/** A signature of this key is of a statement about an audit, and of nothing else. */
const signedPrefix = 'vp audit anchor 1\n';

/** The bytes that are signed. */
export function toSignedText(text: string): string {
  return signedPrefix + text;
}

function exportPublicKey(key: KeyObject, file: string): string {
  const { x } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  if (key.asymmetricKeyType === 'ed25519' && x !== undefined) return x;
  throw vpError('AUDIT_KEY_UNUSABLE', { file, problem: 'it is not an Ed25519 key' });
}

function toAnchorKey(key: KeyObject, file: string): AnchorKey {
  return {
    publicKey: exportPublicKey(key, file),
    sign: async (text) => sign(null, Buffer.from(toSignedText(text)), key).toString('base64url'),
  };
}

/** Throws AUDIT_KEY_UNUSABLE, STORE_KEY_EXPOSED, STORE_KEY_UNREADABLE. */
export function readAnchorKey(file: string): AnchorKey {
  const text = readKeyFile(file);
  if (text === undefined) throw vpError('AUDIT_KEY_UNUSABLE', { file, problem: 'there is no such file' });
  return toAnchorKey(
    parseKey(file, () => createPrivateKey(text)),
    file,
  );
}

/**
 * The public key of a file with a public key in PEM or as of OpenSSH, or with a private key in PEM, or of its text. Throws
 * AUDIT_KEY_UNUSABLE.
 */
export function parsePublicAnchorKey(text: string, file: string): string {
  if (isOpenSshKey(text)) return parseOpenSshKey(text, file).publicKey;
  return exportPublicKey(
    parseKey(file, () => createPublicKey(text)),
    file,
  );
}

function parseKey(file: string, parse: () => KeyObject): KeyObject {
  try {
    return parse();
  } catch {
    throw vpError('AUDIT_KEY_UNUSABLE', { file, problem: 'it is not a key in PEM format without a passphrase' });
  }
}

/** The public key is an argument of `vp audit verify`, where a text that begins with `-` would be a flag. */
function generateKey(): KeyObject {
  for (;;) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    if (!publicKey.export({ format: 'jwk' }).x?.startsWith('-')) return privateKey;
  }
}

/** Creates a key in a new file of mode 0600. Throws STORE_KEY_UNWRITABLE. */
export function createAnchorKey(file: string): AnchorKey {
  const privateKey = generateKey();
  ensureKeyFolder(file);
  writeSecretFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  return toAnchorKey(privateKey, file);
}

export function isSignedByAnchorKey(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(toSignedText(text)), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
