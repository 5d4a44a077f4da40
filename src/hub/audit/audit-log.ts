/** The audit log of all hubs of a control plane, in its own database file. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditCall, AuditStorageStatus } from '../../contract/hubs/audit-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { KeyedListeners } from '../../listeners/keyed-listeners.ts';
import { type SealingKey, seal, unseal } from '../../secrets/sealing.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import {
  type AuditEnd,
  findAuditChain,
  listAuditStatedEnds,
  readAuditMeta,
  writeAuditMeta,
} from '../../store/audit/chains.ts';
import { countOpenIntents } from '../../store/audit/open-intents.ts';
import { removeRecentFile, retainRecentFile } from '../../store/audit/recent-file.ts';
import { openAuditDatabase } from '../../store/engine.ts';
import { addRecentCalls } from './add-recent-calls.ts';
import {
  type AnchorFault,
  type AuditAnchors,
  acceptLosses,
  findAnchorFaults,
  findMissingFile,
  formatFaults,
  readAnchors,
} from './anchors.ts';
import type { AuditEntry, AuditSink } from './audit-entry.ts';
import type { AuditSearch } from './audit-search.ts';
import { type AuditSettings, defaultAuditSettings } from './audit-settings.ts';
import { type AuditAvailability, AuditWriter, type AuditWriterDependencies } from './audit-writer.ts';
import { type ChainKey, deriveChainKey } from './chain.ts';
import { type AuditSearchPage, type CallRange, readCalls, readCallsByTime, searchCalls } from './read-calls.ts';
import { RecentCalls } from './recent-calls.ts';
import { recordEarlierErasures } from './retention.ts';
import { settleOpenIntents } from './settle-intents.ts';

export type AuditLog = Omit<AuditSink, 'ready'> & {
  ready(createEntry?: () => AuditEntry): void;
  readonly availability: AuditAvailability;
  search(hubId: string, query: AuditSearch): Promise<AuditSearchPage>;
  /** All calls of a time range in the order of the chain, in pages; with `afterSeq` only those after that entry. */
  calls(hubId: string, range: CallRange): AsyncIterable<readonly AuditCall[]>;
  /** All calls since `fromMs` up to an entry, in the order of time. */
  callsByTime(
    hubId: string,
    range: { readonly fromMs: number; readonly untilSeq: number },
  ): AsyncIterable<readonly AuditCall[]>;
  /**
   * Calls `listener` with each call when it is recorded and returns a function that stops it. The listener must not throw.
   */
  tail(hubId: string, listener: (call: AuditCall) => void): () => void;
  state(hubId: string): Promise<AuditStorageStatus>;
  /** Calls of all hubs that were started and have no outcome yet. */
  countOpenCalls(): Promise<number>;
  /** Calls of an earlier process whose outcome remains unknown. */
  readonly unknownCalls: number;
  /** The ends of all chains that are safe on the disk. */
  ends(): Promise<AuditEnd[]>;
  /** The size that retention compares with its limit. */
  usedBytes(): Promise<number>;
  /** Makes committed rows safe against a power cut. */
  syncToDisk(): Promise<void>;
  /** Applies the retention limits and returns the number of deleted rows. */
  applyRetention(): Promise<number>;
  close(): Promise<void>;
};

/** `masterKey` seals the audit key in the file. */
export type AuditOptions = {
  readonly folder: string;
  readonly masterKey: SealingKey;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: Partial<AuditSettings>;
  /** False while the clock cannot be trusted: then no row is deleted by age. */
  readonly mayDeleteByAge?: (() => boolean) | undefined;
  /** What the control plane's store knows of the audit; without it a lost file is not noticed. */
  readonly anchors?: AuditAnchors | undefined;
  readonly onError: (error: unknown) => void;
  /** On PostgreSQL; by default `audit.db` of the folder. */
  readonly database?: AuditDatabase | undefined;
};

export function getAuditFile(folder: string): string {
  return join(folder, 'audit.db');
}

const keySealContext = 'audit/meta/key';

/** Throws STORE_KEY_WRONG. */
export function unsealAuditKey(masterKey: SealingKey, sealed: Uint8Array, folder: string): Uint8Array {
  const key = unseal(masterKey, keySealContext, sealed);
  if (!key) throw vpError('STORE_KEY_WRONG', { folder });
  return key;
}

async function loadKey(database: AuditDatabase, { masterKey, random, folder }: AuditOptions): Promise<Uint8Array> {
  const sealed = await database.read((sql) => readAuditMeta(sql, 'key'));
  if (sealed) return unsealAuditKey(masterKey, sealed, folder);
  const key = random.bytes(32);
  const newlySealed = seal(masterKey, keySealContext, key, random);
  await database.writeDurably((sql) => writeAuditMeta(sql, 'key', newlySealed));
  return key;
}

/** Derives each hub's key once. */
export function createChainKeys(auditKey: Uint8Array): (hubId: string) => ChainKey {
  const cache = new Map<string, ChainKey>();
  return (hubId) => {
    const key = cache.get(hubId) ?? deriveChainKey(auditKey, hubId);
    cache.set(hubId, key);
    return key;
  };
}

/** Throws STORE_* and AUDIT_LOST; nothing stays open then. */
export async function openAudit(options: AuditOptions): Promise<AuditLog> {
  const settings = { ...defaultAuditSettings, ...options.settings };
  const file = getAuditFile(options.folder);
  const known = options.anchors ? await readAnchors(options.anchors.database) : [];
  // A new file would hide that one was there.
  if (!options.database && !existsSync(file) && !options.anchors?.mayBeLost)
    assertNothingLost(findMissingFile(known), file);
  // Retention runs after writes, so the hard limit is slightly above the configured one.
  const maxBytes = settings.maxBytes * 1.25 + 4_194_304;
  let database = options.database ?? openAuditDatabase(file, maxBytes, { onError: options.onError });
  try {
    const keys = createChainKeys(await loadKey(database, options));
    const unusable = options.database ? 0 : await addRecentCalls(database, keys, settings.maxBytes);
    await database.writeDurably((sql) => recordEarlierErasures(sql, keys));
    const faults = await database.read((sql) => findAnchorFaults(sql, known));
    if (!options.anchors?.mayBeLost) assertNothingLost(faults, file);
    // Not before: calls that do not continue an older copy of the audit continue the right one, which may be put back.
    if (!options.database) setRecentFileAside(file, unusable, options);
    // Where each row is synced, or each call has two, they are written at once.
    const usesFile = options.database === undefined && !settings.strict && !settings.intents;
    const recent = usesFile ? new RecentCalls(database, keys) : undefined;
    database = recent?.wrap() ?? database;
    const unknownCalls = await settleOpenIntents({ ...options, database, keys });
    const audit = createAuditLog({ database, recent }, keys, settings, { ...options, unknownCalls });
    if (options.anchors && faults.length > 0)
      for (const entry of await acceptLosses(faults, options.anchors, options.clock.nowMs())) await audit.record(entry);
    return audit;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** All usable calls of the file are in the tables. */
function setRecentFileAside(file: string, unusable: number, { clock, onError }: AuditOptions): void {
  if (unusable === 0) {
    removeRecentFile(file);
    return;
  }
  const mark = new Date(clock.nowMs()).toISOString().replaceAll(/[^\dT]/g, '');
  onError(vpError('AUDIT_CALLS_UNUSABLE', { count: unusable, file: retainRecentFile(file, `unusable-${mark}`) }));
}

function assertNothingLost(faults: readonly AnchorFault[], file: string): void {
  if (faults.length > 0) throw vpError('AUDIT_LOST', { file, problem: formatFaults(faults) });
}

function createAuditLog(
  { database, recent }: Pick<AuditWriterDependencies, 'database' | 'recent'>,
  keys: (hubId: string) => ChainKey,
  settings: AuditSettings,
  {
    clock,
    random,
    onError,
    anchors,
    unknownCalls,
    mayDeleteByAge = () => true,
  }: AuditOptions & { readonly unknownCalls: number },
): AuditLog {
  const tails = new KeyedListeners<(call: AuditCall) => void>();
  const onWritten = (calls: readonly AuditCall[]): void => {
    if (tails.size === 0) return;
    for (const call of calls) for (const listener of tails.get(call.hub_id)) listener(call);
  };
  const writer = new AuditWriter({
    database,
    recent,
    keys,
    clock,
    random,
    settings,
    onError,
    onWritten,
    mayDeleteByAge,
    anchors,
  });
  return {
    ready: (createEntry) => writer.ready(createEntry),
    get availability() {
      return writer.availability;
    },
    prepare: (call) => writer.prepare(call),
    async record(entry) {
      await writer.record(entry);
    },
    recordIntent: settings.intents ? (entry) => writer.record(entry) : undefined,
    search: (hubId, query) => searchCalls(database, hubId, query),
    calls: (hubId, range) => readCalls(database, hubId, range),
    callsByTime: (hubId, range) => readCallsByTime(database, hubId, range),
    tail: (hubId, listener) => tails.add(hubId, listener),
    async state(hubId) {
      const { chain, openCalls } = await database.read((sql) => {
        const chain = findAuditChain(sql, hubId);
        return { chain, openCalls: chain ? countOpenIntents(sql, chain.hub) : 0 };
      });
      const hasEntries = chain !== undefined && chain.head_seq > chain.before_seq;
      return {
        problem: writer.problem?.message ?? null,
        used_bytes: await database.getUsedBytes(),
        most_bytes: settings.maxBytes,
        first_seq: hasEntries ? chain.before_seq + 1 : null,
        last_seq: hasEntries ? chain.head_seq : null,
        open_calls: openCalls,
      };
    },
    countOpenCalls: () => database.read((sql) => countOpenIntents(sql)),
    unknownCalls,
    ends: () => database.read(listAuditStatedEnds),
    usedBytes: () => database.getUsedBytes(),
    syncToDisk: () => writer.maintain(),
    applyRetention: () => writer.applyRetention(),
    close: () => writer.close(),
  };
}
