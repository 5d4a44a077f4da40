/** The audit of all hubs of a control plane, on a file of its own. */
import { join } from 'node:path';
import type { AuditCall, AuditState } from '../../contract/hub-audit-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type SealingKey, seal, unseal } from '../../secrets/sealing.ts';
import { chainOf, readAuditMeta, writeAuditMeta } from '../../store/audit/chains.ts';
import { type AuditDatabase, openAuditDatabase } from '../../store/audit/database.ts';
import { type EntryRow, entriesAfter } from '../../store/audit/entries.ts';
import { searchEntries } from '../../store/audit/search.ts';
import type { Audit, AuditEntry } from '../words.ts';
import { attestedIn } from './attested.ts';
import { type ChainKey, chainKeyOf } from './chain.ts';
import { type AuditWanted, entrySearchOf, fits } from './question.ts';
import { type AuditSettings, defaultAuditSettings } from './settings.ts';
import { AuditWriter } from './writer.ts';

/** A page of calls, newest first; it may be short although there is more: what was before `lookedUntilMs` was not looked at. */
export type AuditPage = {
  readonly items: AuditCall[];
  readonly next: string | undefined;
  readonly lookedUntilMs?: number | undefined;
};

/** The open audit. */
export type AuditLog = Omit<Audit, 'ready'> & {
  ready(entry?: AuditEntry): void;
  search(hubId: string, wanted: AuditWanted): Promise<AuditPage>;
  /** All calls of a time in the order of the chain, a few at a time. */
  calls(hubId: string, range: { readonly fromMs: number; readonly toMs: number }): AsyncIterable<readonly AuditCall[]>;
  /** Calls `listener` with each call after its commit; the returned function stops that. It must not throw. */
  tail(hubId: string, listener: (call: AuditCall) => void): () => void;
  state(hubId: string): Promise<AuditState>;
  /** Makes what was committed safe against a power cut, now. */
  secure(): Promise<void>;
  /** One round of retention now; gives how many rows were deleted. */
  retain(): Promise<number>;
  close(): Promise<void>;
};

/** `masterKey` seals the key of the audit in its file. */
export type AuditOptions = {
  readonly folder: string;
  readonly masterKey: SealingKey;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: Partial<AuditSettings>;
  readonly onFault: (fault: unknown) => void;
};

/** The file of the audit in its data folder. */
export function auditFile(folder: string): string {
  return join(folder, 'audit.db');
}

const keyPlace = 'audit/meta/key';

/** The audit's key out of its file. Throws STORE_KEY_WRONG. */
export function openAuditKey(masterKey: SealingKey, sealed: Uint8Array, folder: string): Uint8Array {
  const key = unseal(masterKey, keyPlace, sealed);
  if (!key) throw vpError('STORE_KEY_WRONG', { folder });
  return key;
}

async function keyOf(database: AuditDatabase, { masterKey, random, folder }: AuditOptions): Promise<Uint8Array> {
  const sealed = await database.read((sql) => readAuditMeta(sql, 'key'));
  if (sealed) return openAuditKey(masterKey, sealed, folder);
  const key = random.bytes(32);
  database.secure((sql) => writeAuditMeta(sql, 'key', seal(masterKey, keyPlace, key, random)));
  return key;
}

/** Keys of hubs, made once each. */
export function chainKeys(auditKey: Uint8Array): (hubId: string) => ChainKey {
  const known = new Map<string, ChainKey>();
  return (hubId) => {
    const key = known.get(hubId) ?? chainKeyOf(auditKey, hubId);
    known.set(hubId, key);
    return key;
  };
}

/** Opens it. Throws STORE_*; nothing stays open then. */
export async function openAudit(options: AuditOptions): Promise<AuditLog> {
  const settings = { ...defaultAuditSettings, ...options.settings };
  // Retention works behind the writers, so the hard limit is a little above the one that it keeps.
  const database = openAuditDatabase(auditFile(options.folder), settings.maxBytes * 1.25 + 4_194_304);
  try {
    const keys = chainKeys(await keyOf(database, options));
    return auditOn(database, keys, settings, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function auditOn(
  database: AuditDatabase,
  keys: (hubId: string) => ChainKey,
  settings: AuditSettings,
  { clock, random, onFault }: AuditOptions,
): AuditLog {
  const tails = new Map<string, Set<(call: AuditCall) => void>>();
  const onWritten = (calls: readonly AuditCall[]): void => {
    if (tails.size === 0) return;
    for (const call of calls) for (const listener of tails.get(call.hub_id) ?? []) listener(call);
  };
  const writer = new AuditWriter({ database, keys, clock, random, settings, onFault, onWritten });
  return {
    ready: (entry) => writer.ready(entry),
    record: (entry) => writer.record(entry),
    search: (hubId, wanted) => search(database, hubId, wanted),
    calls: (hubId, range) => callsOf(database, hubId, range),
    tail: (hubId, listener) => tailing(tails, hubId, listener),
    async state(hubId) {
      const chain = await database.read((sql) => chainOf(sql, hubId));
      const isKept = chain !== undefined && chain.head_seq > chain.before_seq;
      return {
        problem: writer.problem?.message ?? null,
        used_bytes: database.usedBytes(),
        most_bytes: settings.maxBytes,
        first_seq: isKept ? chain.before_seq + 1 : null,
        last_seq: isKept ? chain.head_seq : null,
      };
    },
    secure: () => writer.tend(),
    retain: () => writer.retain(),
    close: () => writer.close(),
  };
}

function tailing(
  tails: Map<string, Set<(call: AuditCall) => void>>,
  hubId: string,
  listener: (call: AuditCall) => void,
): () => void {
  const listeners = tails.get(hubId) ?? new Set();
  tails.set(hubId, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && tails.get(hubId) === listeners) tails.delete(hubId);
  };
}

function callOf(row: EntryRow): AuditCall {
  return { ...attestedIn(row), arguments: row.arguments };
}

async function search(database: AuditDatabase, hubId: string, wanted: AuditWanted): Promise<AuditPage> {
  const chain = await database.read((sql) => chainOf(sql, hubId));
  if (!chain) return { items: [], next: undefined };
  const { rows, stopped } = await database.read((sql) => searchEntries(sql, entrySearchOf(chain.hub, wanted)));
  // Two names may share a key.
  const items = rows.map(callOf).filter((call) => fits(call, wanted));
  return { items, next: stopped && `${stopped.atMs}.${stopped.id}`, lookedUntilMs: stopped?.atMs };
}

const together = 500;

async function* callsOf(
  database: AuditDatabase,
  hubId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): AsyncIterable<readonly AuditCall[]> {
  const chain = await database.read((sql) => chainOf(sql, hubId));
  if (!chain) return;
  let after = chain.before_seq;
  while (after < chain.head_seq) {
    const rows = await database.read((sql) => entriesAfter(sql, chain.hub, after, together));
    const last = rows.at(-1);
    if (!last) return;
    after = last.seq;
    const wanted = rows.filter(({ at_ms, seq }) => at_ms >= fromMs && at_ms <= toMs && seq <= chain.head_seq);
    if (wanted.length > 0) yield wanted.map(callOf);
    // Others get their turn between the pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
