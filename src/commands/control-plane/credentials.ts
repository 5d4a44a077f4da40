/** Credentials for control planes: VP_TOKEN, or one file of mode 0600 for each control plane. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import type { UserPaths } from '../../environment/paths.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readKeyFile, writeKeyFile } from '../../secrets/key-file.ts';

/** The content of a credential file. A credential from a sign-in has a refresh token. */
export type StoredCredential = {
  readonly control_plane: string;
  readonly token: string;
  readonly refresh_token?: string;
  /** When `token` expires, in milliseconds since 1970. */
  readonly expires_at_ms?: number;
};

function credentialsFolder(paths: UserPaths): string {
  return join(paths.config, 'credentials');
}

/** The credential file for the control plane at `url`: `<config>/credentials/<host>_<port>.json`. */
export function credentialFile(paths: UserPaths, url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const effectivePort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return join(credentialsFolder(paths), `${hostname.replaceAll(/[^a-z0-9.-]/gi, '-')}_${effectivePort}.json`);
}

/** Writes the credential file with mode 0600. */
export function writeCredential(paths: UserPaths, url: string, token: string, renewal: RenewalFields = {}): void {
  const file = credentialFile(paths, url);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const credential: StoredCredential = { control_plane: new URL(url).origin, token, ...renewal };
  writeKeyFile(file, JSON.stringify(credential));
}

export type RenewalFields = Pick<StoredCredential, 'refresh_token' | 'expires_at_ms'>;

/** Undefined without a file. Throws CREDENTIAL_UNUSABLE, STORE_KEY_EXPOSED. */
export function readStoredCredential(paths: UserPaths, url: string): StoredCredential | undefined {
  const file = credentialFile(paths, url);
  const text = readKeyFile(file);
  return text === undefined ? undefined : parseCredential(text, file, url);
}

export function removeCredential(paths: UserPaths, url: string): void {
  rmSync(credentialFile(paths, url), { force: true });
}

/**
 * The token for the control plane at `url`. Throws CREDENTIAL_ABSENT, CREDENTIAL_UNUSABLE, and STORE_KEY_EXPOSED if
 * other users can read the file.
 */
export function getControlPlaneToken(
  { variables, paths }: Pick<Environment, 'variables' | 'paths'>,
  url: string,
): string {
  if (variables.VP_TOKEN) return requireSendable(variables.VP_TOKEN.trim(), 'VP_TOKEN');
  const file = credentialFile(paths, url);
  const text = readKeyFile(file);
  if (text !== undefined) return requireSendable(parseCredential(text, file, url).token, file);
  throw vpError('CREDENTIAL_ABSENT', { url, file, known: formatKnownHosts(paths) });
}

/** Header values must be visible ASCII; anything else was copied incorrectly. */
function requireSendable(token: string, source: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw vpError('CREDENTIAL_UNUSABLE', { source, problem: 'the key is empty or contains invalid characters' });
}

function parseCredential(text: string, file: string, url: string): StoredCredential {
  const value = parseJson(text);
  if (!isStoredCredential(value))
    throw vpError('CREDENTIAL_UNUSABLE', { source: file, problem: 'its format is invalid' });
  if (value.control_plane === new URL(url).origin) return value;
  throw vpError('CREDENTIAL_UNUSABLE', { source: file, problem: `it is for ${value.control_plane}` });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isStoredCredential(value: unknown): value is StoredCredential {
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

/** The first hosts, with ports, for which there is a credential. */
export function listCredentialHosts(paths: UserPaths): readonly string[] {
  try {
    const names = readdirSync(credentialsFolder(paths)).filter((name) => name.endsWith('.json'));
    return names.slice(0, 5).map((name) => name.slice(0, -'.json'.length).replace('_', ':'));
  } catch {
    return [];
  }
}

function formatKnownHosts(paths: UserPaths): string {
  const hosts = listCredentialHosts(paths);
  return hosts.length === 0 ? '' : `, only for ${hosts.join(', ')}`;
}
