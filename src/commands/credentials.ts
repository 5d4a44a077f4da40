/** The credential of each control plane: VP_TOKEN, or a file that only its user may read. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import type { Paths } from '../environment/paths.ts';
import { vpError } from '../errors/vp-error.ts';
import { readKeyFile, writeKeyFile } from '../secrets/key-file.ts';

/** What is kept for a control plane; one that was signed in to can renew its token. */
export type Kept = {
  readonly control_plane: string;
  readonly token: string;
  readonly refresh_token?: string;
  /** When `token` ends, in milliseconds since 1970. */
  readonly expires_at_ms?: number;
};

function folderOf(paths: Paths): string {
  return join(paths.config, 'credentials');
}

/** Where the credential of the control plane at `url` is kept: `<config>/credentials/<host>_<port>.json`. */
export function credentialFile(paths: Paths, url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const shownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return join(folderOf(paths), `${hostname.replaceAll(/[^a-z0-9.-]/gi, '-')}_${shownPort}.json`);
}

/** Keeps `token` for the control plane at `url`, with what renews it, mode 0600. */
export function writeCredential(paths: Paths, url: string, token: string, renewal: Renewal = {}): void {
  const file = credentialFile(paths, url);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const kept: Kept = { control_plane: new URL(url).origin, token, ...renewal };
  writeKeyFile(file, JSON.stringify(kept));
}

/** What a sign-in gives beside its token. */
export type Renewal = Pick<Kept, 'refresh_token' | 'expires_at_ms'>;

/** What is kept for the control plane at `url`; undefined without a file. Throws CREDENTIAL_UNUSABLE, STORE_KEY_EXPOSED. */
export function keptCredential(paths: Paths, url: string): Kept | undefined {
  const file = credentialFile(paths, url);
  const text = readKeyFile(file);
  return text === undefined ? undefined : kept(text, file, url);
}

/** Forgets what is kept for the control plane at `url`. */
export function forgetCredential(paths: Paths, url: string): void {
  rmSync(credentialFile(paths, url), { force: true });
}

/**
 * The token for the control plane at `url`. Throws CREDENTIAL_ABSENT, CREDENTIAL_UNUSABLE, and STORE_KEY_EXPOSED when
 * others may read the file.
 */
export function tokenFor({ variables, paths }: Pick<Environment, 'variables' | 'paths'>, url: string): string {
  if (variables.VP_TOKEN) return sendable(variables.VP_TOKEN.trim(), 'VP_TOKEN');
  const file = credentialFile(paths, url);
  const text = readKeyFile(file);
  if (text !== undefined) return sendable(kept(text, file, url).token, file);
  throw vpError('CREDENTIAL_ABSENT', { url, file, known: knownText(paths) });
}

/** A header carries visible ASCII; anything else was copied wrongly. */
function sendable(token: string, source: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw vpError('CREDENTIAL_UNUSABLE', { source, problem: 'the key is empty or has characters that no key has' });
}

function kept(text: string, file: string, url: string): Kept {
  const value = parsed(text);
  if (!isKept(value))
    throw vpError('CREDENTIAL_UNUSABLE', { source: file, problem: 'it is not in the form that vp writes' });
  if (value.control_plane === new URL(url).origin) return value;
  throw vpError('CREDENTIAL_UNUSABLE', { source: file, problem: `it is for ${value.control_plane}` });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'control_plane' in value &&
    typeof value.control_plane === 'string' &&
    'token' in value &&
    typeof value.token === 'string' &&
    (!('refresh_token' in value) || typeof value.refresh_token === 'string') &&
    (!('expires_at_ms' in value) || typeof value.expires_at_ms === 'number')
  );
}

/** Which control planes there are credentials for, when it is not this one. */
function knownText(paths: Paths): string {
  try {
    const names = readdirSync(folderOf(paths)).filter((name) => name.endsWith('.json'));
    const hosts = names.map((name) => name.slice(0, -'.json'.length).replace('_', ':'));
    return hosts.length === 0 ? '' : `, only for ${hosts.slice(0, 5).join(', ')}`;
  } catch {
    return '';
  }
}
