/**
 * The key that a publisher signs with: a PEM file of mode 0600 that also says which registry it is for. What is signed is a
 * moment and nothing else, so a registry could use a signature at another one: each has a key of its own.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { vpError } from '../errors/vp-error.ts';
import { prepareKeyFile, readKeyFile, writeSecretFile } from '../secrets/key-file.ts';
import { recordOf } from './proof-record.ts';
import { type Algorithm, algorithmOf, type PublicKey, publicKeyOf, signed } from './signature.ts';

/** An opened key. */
export type SigningKey = {
  readonly file: string;
  readonly algorithm: Algorithm;
  readonly publicKey: PublicKey;
  /** The TXT record that shows it. */
  readonly record: string;
  sign(text: string): string;
};

const forLine = /^Registry: (\S+)$/m;

function opened(key: KeyObject, algorithm: Algorithm, file: string): SigningKey {
  const publicKey = publicKeyOf(key, algorithm);
  return { file, algorithm, publicKey, record: recordOf(publicKey), sign: (text) => signed(key, algorithm, text) };
}

/**
 * The key in `file` for the registry at `origin`; undefined when there is no file. A key of another origin's throws
 * REGISTRY_KEY_ELSEWHERE; one that was made with other tools says nothing of it. Throws REGISTRY_KEY_UNUSABLE, STORE_KEY_EXPOSED.
 */
export function readSigningKey(file: string, origin: string): SigningKey | undefined {
  const text = readKeyFile(file);
  if (text === undefined) return undefined;
  const [, other = origin] = forLine.exec(text) ?? [];
  if (other !== origin) throw vpError('REGISTRY_KEY_ELSEWHERE', { file, other, registry: origin });
  const unusable = (problem: string) => vpError('REGISTRY_KEY_UNUSABLE', { file, problem });
  let key: KeyObject;
  try {
    key = createPrivateKey(text.slice(Math.max(0, text.indexOf('-----BEGIN'))));
  } catch {
    throw unusable('it is no private key in PEM form, without a passphrase');
  }
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) throw unusable('it is neither of Ed25519 nor of ECDSA on P-384');
  return opened(key, algorithm, file);
}

/** Makes a key for the registry at `origin` and writes it. Throws STORE_KEY_UNWRITABLE. */
export function makeSigningKey(file: string, origin: string, algorithm: Algorithm): SigningKey {
  const { privateKey } =
    algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  prepareKeyFile(file);
  writeSecretFile(file, `Registry: ${origin}\n${pem}`);
  return opened(privateKey, algorithm, file);
}
