/**
 * The key that a publisher signs with: a PEM file of mode 0600 that also names its registry. Only a timestamp is signed, so a
 * registry could replay a signature at another one: each registry has its own key.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { vpError } from '../../errors/vp-error.ts';
import { ensureKeyFolder, readKeyFile, writeSecretFile } from '../../secrets/key-file.ts';
import { formatProofRecord } from '../dns-proof/proof-record.ts';
import {
  type DomainPublicKey,
  exportPublicKey,
  findAlgorithm,
  type SignatureAlgorithm,
  signText,
} from '../dns-proof/signature.ts';

export type DomainSigningKey = {
  readonly file: string;
  readonly algorithm: SignatureAlgorithm;
  readonly publicKey: DomainPublicKey;
  /** The TXT record with the public key. */
  readonly record: string;
  sign(text: string): string;
};

const registryLinePattern = /^Registry: (\S+)$/m;

function toSigningKey(key: KeyObject, algorithm: SignatureAlgorithm, file: string): DomainSigningKey {
  const publicKey = exportPublicKey(key, algorithm);
  return {
    file,
    algorithm,
    publicKey,
    record: formatProofRecord(publicKey),
    sign: (text) => signText(key, algorithm, text),
  };
}

/**
 * The key in `file` for the registry at `origin`; undefined when there is no file. Throws REGISTRY_KEY_ELSEWHERE for the key of
 * another registry (keys of other tools name none), REGISTRY_KEY_UNUSABLE, STORE_KEY_EXPOSED.
 */
export function readSigningKey(file: string, origin: string): DomainSigningKey | undefined {
  const text = readKeyFile(file);
  if (text === undefined) return undefined;
  const [, other = origin] = registryLinePattern.exec(text) ?? [];
  if (other !== origin) throw vpError('REGISTRY_KEY_ELSEWHERE', { file, other, registry: origin });
  const unusable = (problem: string) => vpError('REGISTRY_KEY_UNUSABLE', { file, problem });
  let key: KeyObject;
  try {
    key = createPrivateKey(text.slice(Math.max(0, text.indexOf('-----BEGIN'))));
  } catch {
    throw unusable('it is not a private key in PEM format without a passphrase');
  }
  const algorithm = findAlgorithm(key);
  if (algorithm === undefined) throw unusable('it is neither an Ed25519 nor an ECDSA P-384 key');
  return toSigningKey(key, algorithm, file);
}

/** Creates a key for the registry at `origin` and writes it. Throws STORE_KEY_UNWRITABLE. */
export function createSigningKey(file: string, origin: string, algorithm: SignatureAlgorithm): DomainSigningKey {
  const { privateKey } =
    algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  ensureKeyFolder(file);
  writeSecretFile(file, `Registry: ${origin}\n${pem}`);
  return toSigningKey(privateKey, algorithm, file);
}
