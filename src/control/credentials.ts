/** Authentication of bearer tokens: this control plane's service keys, and executor keys. */

import { hkdfSync } from 'node:crypto';
import { Listeners } from '../listeners/listeners.ts';
import { hashBearer, mintBearer, parseBearerKind } from '../secrets/bearer.ts';
import { readKeyFile, writeKeyFile } from '../secrets/key-file.ts';
import { createCachedReader } from '../store/cached-reader.ts';
import { findInstanceIdByKey } from '../store/control/instances/instances.ts';
import { findServiceKeyHash, type ServiceKeyKind, saveServiceKeyHash } from '../store/control/keys.ts';
import type { Sql } from '../store/sql.ts';
import type { ControlContext } from './context.ts';
import type { Credential } from './control.ts';

const maxCachedKeys = 1_000;

/** The keys of executors that this process replaced or ended, and its service keys. */
export type KeyChanges = {
  /** Call it after the commit, and before success is reported. `ended`: an executor's key that was valid until then. */
  notify(ended?: EndedKey): void;
  /** `ended` is undefined when service keys may have changed. */
  onChange(listener: (ended: EndedKey | undefined) => void): () => void;
  /** Of one of the newest that ended: for what is noted in memory before a transaction compares the key. */
  findEnd(hash: string): KeyEnd | undefined;
};

export type KeyEnd = 'replacement' | 'removal of its instance';
type EndedKey = { readonly hash: string; readonly by: KeyEnd };

export function createKeyChanges(): KeyChanges {
  const listeners = new Listeners<EndedKey | undefined>();
  const ends = new Map<string, KeyEnd>();
  return {
    notify(ended) {
      if (ends.size >= maxCachedKeys) ends.clear();
      if (ended) ends.set(ended.hash, ended.by);
      listeners.notify(ended);
    },
    onChange: listeners.add,
    findEnd: (hash) => ends.get(hash),
  };
}

/**
 * Looks tokens up by their keyed hashes; undefined when one is unknown. Each run needs several requests, so what the tokens stand for
 * is cached: a key that this process replaces or ends is refused from then on, and one that another
 * process ends as soon as its commit is noticed.
 */
export function createAuthenticator(
  context: ControlContext,
  keyChanges: Pick<KeyChanges, 'onChange'>,
): (token: string) => Promise<Credential | undefined> {
  const { read, getForeignVersion } = context.store.database;
  const createReader = (isConcerned: (ended: EndedKey | undefined) => boolean) => {
    const onCommit = (listener: () => void) => keyChanges.onChange((ended) => isConcerned(ended) && listener());
    return createCachedReader<Credential>({ read, getForeignVersion, onCommit }, context.clock, maxCachedKeys);
  };
  const findServiceCredential = createReader(() => true);
  // Whoever signs in changes nothing of them.
  const findExecutorCredential = createReader((ended) => ended !== undefined);
  /** Of keys that were known, whose HMAC takes longer than all else here. Whether one still is, the readers say. */
  const hashes = new Map<string, string>();
  return async (token) => {
    const kind = parseBearerKind(token);
    if (kind !== 'executor' && kind !== 'owner' && kind !== 'scrape') return undefined;
    const hash = hashes.get(token) ?? hashBearer(token, context.keyring.tokenHashKey);
    const find = kind === 'executor' ? findExecutorCredential : findServiceCredential;
    const credential = await find(`${kind} ${hash}`, (sql) => {
      if (kind !== 'executor') return findServiceKey(sql, kind, hash);
      const instance = findInstanceIdByKey(sql, hash);
      return instance === undefined ? undefined : { kind, instance, keyHash: hash };
    });
    if (!credential) hashes.delete(token);
    else if (!hashes.has(token)) remember(hashes, token, hash);
    return credential;
  };
}

function remember(hashes: Map<string, string>, token: string, hash: string): void {
  if (hashes.size >= maxCachedKeys) hashes.clear();
  hashes.set(token, hash);
}

/** A service key that this store knows. */
function findServiceKey(sql: Sql, kind: ServiceKeyKind, hash: string): Credential | undefined {
  return findServiceKeyHash(sql, kind) === hash ? { kind } : undefined;
}

async function isServiceKey(context: ControlContext, kind: ServiceKeyKind, token: string): Promise<boolean> {
  if (parseBearerKind(token) !== kind) return false;
  const hash = hashBearer(token, context.keyring.tokenHashKey);
  return await context.store.database.read((sql) => findServiceKey(sql, kind, hash) !== undefined);
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
  keyChanges: Pick<KeyChanges, 'notify'>,
  kind: ServiceKeyKind,
  keyFile: string,
  isShared: boolean,
): Promise<string> {
  const storedKey = readKeyFile(keyFile);
  if (storedKey !== undefined && (await isServiceKey(context, kind, storedKey))) return storedKey;
  const { random, keyring } = context;
  const key = isShared ? deriveServiceKey(kind, keyring.tokenHashKey) : mintBearer(kind, random);
  const hash = hashBearer(key, context.keyring.tokenHashKey);
  await context.store.database.write((sql) => saveServiceKeyHash(sql, kind, hash, context.clock.nowMs()));
  keyChanges.notify();
  writeKeyFile(keyFile, key);
  return key;
}
