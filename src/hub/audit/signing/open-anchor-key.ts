/** Opens the key that `--audit-key` names. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../../../environment/environment.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { type AnchorKey, readAnchorKey } from './anchor-key.ts';
import { createAgentKey, openCommandKey } from './external-key.ts';

export type KeyEnvironment = Pick<Environment, 'cwd' | 'clock' | 'variables'>;

export function isExternalKey(name: string): boolean {
  return /^(?:ssh-agent|command):/.test(name);
}

/**
 * `name` is a PEM file, `ssh-agent:<file.pub>` or `command:<program>`. Throws AUDIT_KEY_UNUSABLE, AUDIT_KEY_UNAVAILABLE,
 * STORE_KEY_EXPOSED, STORE_KEY_UNREADABLE.
 */
export async function openAnchorKey(name: string, { cwd, clock, variables }: KeyEnvironment): Promise<AnchorKey> {
  if (!isExternalKey(name)) return readAnchorKey(resolve(cwd, name));
  const [, source, path = ''] = /^([a-z-]+):(.+)$/s.exec(name) ?? [];
  if (path === '') throw vpError('AUDIT_KEY_UNUSABLE', { file: name, problem: 'no file is named after the colon' });
  const file = resolve(cwd, path);
  if (source === 'command') return await openCommandKey(name, file, { variables, cwd });
  const socket = variables.SSH_AUTH_SOCK;
  if (!socket) throw vpError('AUDIT_KEY_UNUSABLE', { file: name, problem: 'SSH_AUTH_SOCK names no ssh-agent' });
  return createAgentKey(name, readPublicKey(file, name), { socket, clock });
}

function readPublicKey(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw vpError(
      'AUDIT_KEY_UNUSABLE',
      { file: name, problem: `its file cannot be read: ${reason}` },
      { cause: error },
    );
  }
}
