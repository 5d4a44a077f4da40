/** Public keys as `ssh-keygen` writes them: `ssh-ed25519 AAAA… comment`. */
import { vpError } from '../../../errors/vp-error.ts';
import { SshReader } from './ssh-wire.ts';

export const sshKeyType = 'ssh-ed25519';

export type OpenSshKey = {
  /** Base64url of the 32 bytes of the public key. */
  readonly publicKey: string;
  /** The key as the agent's protocol names it. */
  readonly blob: Buffer;
};

export function isOpenSshKey(text: string): boolean {
  return /^(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+ /.test(text);
}

/** Throws AUDIT_KEY_UNUSABLE. */
export function parseOpenSshKey(text: string, file: string): OpenSshKey {
  const [type = '', encoded = ''] = text.trim().split(/\s+/);
  if (type !== sshKeyType)
    throw vpError('AUDIT_KEY_UNUSABLE', { file, problem: `it is a key of the type ${type}, and not ${sshKeyType}` });
  const blob = Buffer.from(encoded, 'base64');
  const key = readKey(blob);
  if (!key) throw vpError('AUDIT_KEY_UNUSABLE', { file, problem: 'it is damaged' });
  return { publicKey: key.toString('base64url'), blob };
}

function readKey(blob: Buffer): Buffer | undefined {
  try {
    const reader = new SshReader(blob);
    const type = reader.string().toString('latin1');
    const key = reader.string();
    return type === sshKeyType && key.length === 32 ? key : undefined;
  } catch {
    return undefined;
  }
}
