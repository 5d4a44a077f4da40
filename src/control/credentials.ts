/** Authentication of bearer tokens: this control plane's service keys, and executor keys. */
import { hkdfSync } from 'node:crypto';
import { hashBearer, mintBearer, parseBearerKind } from '../secrets/bearer.ts';
import { readKeyFile, writeKeyFile } from '../secrets/key-file.ts';
import { findInstanceIdByKey } from '../store/control/instances/instances.ts';
import { findServiceKeyHash, type ServiceKeyKind, saveServiceKeyHash } from '../store/control/keys.ts';
import type { ControlContext } from './context.ts';
import type { Credential } from './control.ts';

/** Looks a token up by its keyed hash; undefined when it is unknown. */
export async function findCredential(context: ControlContext, token: string): Promise<Credential | undefined> {
  const kind = parseBearerKind(token);
  if (kind === undefined || kind === 'api_key' || kind === 'machine') return undefined;
  const hash = hashBearer(token, context.keyring.tokenHashKey);
  return context.store.database.read((sql) => {
    if (kind !== 'executor') return findServiceKeyHash(sql, kind) === hash ? { kind } : undefined;
    const instance = findInstanceIdByKey(sql, hash);
    return instance === undefined ? undefined : { kind, instance };
  });
}

/** The same in every replica of a store: they share no folder, and a new key would end the one before it at every change. */
function deriveServiceKey(kind: ServiceKeyKind, tokenHashKey: Uint8Array): string {
  const derive = (size: number) => Buffer.from(hkdfSync('sha256', tokenHashKey, '', `service key ${kind}`, size));
  return mintBearer(kind, { token: (size) => derive(size).toString('base64url') });
}

/**
 * Returns the service key stored in `keyFile`; creates a new one when the file is missing or belongs to another store.
 * `isShared`: replicas use the store.
 */
export async function ensureServiceKey(
  context: ControlContext,
  kind: ServiceKeyKind,
  keyFile: string,
  isShared: boolean,
): Promise<string> {
  const storedKey = readKeyFile(keyFile);
  if (storedKey !== undefined && (await findCredential(context, storedKey))?.kind === kind) return storedKey;
  const { random, keyring } = context;
  const key = isShared ? deriveServiceKey(kind, keyring.tokenHashKey) : mintBearer(kind, random);
  const hash = hashBearer(key, context.keyring.tokenHashKey);
  await context.store.database.write((sql) => saveServiceKeyHash(sql, kind, hash, context.clock.nowMs()));
  writeKeyFile(keyFile, key);
  return key;
}
