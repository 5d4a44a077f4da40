import Sqlite from 'better-sqlite3';
import type { Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { HubPrincipal } from '../../../src/hub/access/principal.ts';
import type { ChainKeys } from '../../../src/hub/audit/append-calls.ts';
import type { AuditEntry } from '../../../src/hub/audit/audit-entry.ts';
import {
  type AuditLog,
  createChainKeys,
  getAuditFile,
  openAudit,
  unsealAuditKey,
} from '../../../src/hub/audit/audit-log.ts';
import type { AuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import { computeChainSeal, computeEntryMac } from '../../../src/hub/audit/chain.ts';
import { type AuditReadTransaction, type ChainVerdict, verifyChains } from '../../../src/hub/audit/verify-chains.ts';
import { listAuditChains, readAuditMeta, saveAuditChain } from '../../../src/store/audit/chains.ts';
import { listAuditEntriesAfter } from '../../../src/store/audit/entries.ts';
import { readDatabaseStores } from '../../../src/store/copy/move-stores.ts';
import { openAuditReader } from '../../../src/store/engine.ts';
import { getSearchPath } from '../../../src/store/postgres/begin.ts';
import { connectPostgres } from '../../../src/store/postgres/connect.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { findSettingsUnderTest, getSourcesUnderTest, openStoresUnderTest } from '../../store/engine-under-test.ts';

export const masterKey = { id: 0, bytes: Buffer.alloc(32, 7) };

/** A member of a hub with a token. */
export function createPrincipal(hub = 'acme', person = 'Ana', overrides: Partial<HubPrincipal> = {}): HubPrincipal {
  return {
    hub: { id: `id-of-${hub}`, slug: hub },
    person: { personId: `id-of-${person}`, name: person },
    role: 'member',
    via: { kind: 'token', tokenId: `token-of-${person}`, tokenName: 'laptop' },
    client: { name: 'agent', version: '1.2.3' },
    ...overrides,
  };
}

/** A successful call. */
export function createEntry(overrides: Partial<AuditEntry> = {}): AuditEntry {
  return {
    atMs: Date.UTC(2026, 10, 20, 14, 30),
    principal: createPrincipal(),
    method: 'tools/call',
    connection: { id: 'c1', name: 'tickets' },
    tool: 'create',
    arguments: { title: 'Broken door' },
    redact: { keep: true, hide: [] },
    outcome: 'ok',
    reason: undefined,
    durationMs: 12.5,
    requestBytes: 120,
    responseBytes: 900,
    requestId: 'r-1',
    ...overrides,
  };
}

export type TestAudit = {
  readonly audit: AuditLog;
  readonly folder: string;
  readonly file: string;
  readonly clock: FakeClock;
  readonly errors: unknown[];
};

/** An audit in the test's folder; a full disk is simulated only on request. */
export async function openTestAudit(
  t: Test,
  settings: Partial<AuditSettings> = {},
  { folder = t.testdir(), clock = fakeClock() } = {},
): Promise<TestAudit> {
  const faults: unknown[] = [];
  const onError = (error: unknown): void => void faults.push(error);
  const database = (await openStoresUnderTest(t, folder))?.audit;
  const options = { folder, masterKey, ...getSourcesUnderTest(clock), onError, database };
  const audit = await openAudit({ ...options, settings: { minFreeBytes: 0, ...settings } });
  t.teardown(() => audit.close().catch(() => undefined));
  return { audit, folder, file: getAuditFile(folder), clock, errors: faults };
}

/** Calls `use` with a reader of its own, like another process. */
async function withTestReader<T>(
  { file, folder }: Pick<TestAudit, 'file' | 'folder'>,
  use: (read: AuditReadTransaction) => Promise<T>,
): Promise<T> {
  const settings = findSettingsUnderTest(folder);
  if (settings)
    return await readDatabaseStores({ settings, clock: systemClock }, ({ read }) =>
      use((operation) => read('audit', operation)),
    );
  const reader = openAuditReader(file);
  try {
    return await use(async (operation) => reader.read(operation));
  } finally {
    reader.close();
  }
}

/** Reads with a reader of its own, like another process. */
export async function readTestAudit<T>(
  audit: Pick<TestAudit, 'file' | 'folder'>,
  operation: (sql: Sql) => T,
): Promise<T> {
  return await withTestReader(audit, (read) => read(operation));
}

/** Changes the tables directly, as whoever has the file or the database can. */
export async function runAuditSql({ file, folder }: Pick<TestAudit, 'file' | 'folder'>, text: string): Promise<void> {
  const settings = findSettingsUnderTest(folder);
  if (settings) {
    const { client } = await connectPostgres(settings, { clock: systemClock });
    await client.query(`SET search_path TO ${getSearchPath('audit')}; ${text}`);
    await client.end();
    return;
  }
  const sqlite = new Sqlite(file);
  sqlite.exec(text);
  sqlite.close();
}

async function readKey(read: AuditReadTransaction, folder: string): Promise<Uint8Array> {
  const sealed = await read((sql) => readAuditMeta(sql, 'key'));
  if (!sealed) throw new TypeError('no key');
  return unsealAuditKey(masterKey, sealed, folder);
}

/** The key that the master key opens. */
export async function readTestAuditKey(audit: Pick<TestAudit, 'file' | 'folder'>): Promise<Uint8Array> {
  return await withTestReader(audit, (read) => readKey(read, audit.folder));
}

/** Verifies with its own reader, like another process. */
export async function verifyAudit(audit: Pick<TestAudit, 'file' | 'folder'>): Promise<ChainVerdict[]> {
  return await withTestReader(audit, async (read) => {
    const keys = createChainKeys(await readKey(read, audit.folder));
    return await verifyChains(read, keys, () => undefined);
  });
}

/** All faults as text. */
export async function listFaults(audit: Pick<TestAudit, 'file' | 'folder'>): Promise<string[]> {
  return (await verifyAudit(audit)).flatMap(({ faults }) =>
    faults.map(({ kind, seq }) => `${kind} ${seq ?? ''}`.trim()),
  );
}

/** Writes valid chains over the entries that are there, as whoever has the master key can. */
export function rechainEntries(sql: Sql, keys: ChainKeys): void {
  for (const chain of listAuditChains(sql)) {
    const key = keys(chain.hub_id);
    let { before_seq: seq, before_mac: mac } = chain;
    for (const row of listAuditEntriesAfter(sql, chain.hub, chain.before_seq, 1000)) {
      seq += 1;
      const body = row.body.replace(`"seq":${row.seq}`, `"seq":${seq}`);
      mac = computeEntryMac(key, mac, body);
      sql.run('UPDATE entries SET seq = ?, body = ?, mac = ? WHERE id = ?', seq, body, mac, row.id);
    }
    const end = { ...chain, head_seq: seq, head_mac: mac };
    saveAuditChain(sql, { ...end, seal: computeChainSeal(key, end) });
    sql.run('UPDATE checkpoints SET seq = ?, mac = ? WHERE hub = ?', seq, mac, chain.hub);
  }
}

/** Far more calls than there is space for: one of a quiet hub, and 10,000 of a loud one. */
export async function exceedAuditSize({ audit, clock }: TestAudit): Promise<void> {
  await audit.record(createEntry({ principal: createPrincipal('quiet') }));
  for (let round = 0; round < 100; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => audit.record(createEntry())));
    clock.advance(50);
    await audit.syncToDisk();
  }
}
