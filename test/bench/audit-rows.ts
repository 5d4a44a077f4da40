/** Fills an audit with rows as a hub that was busy for days leaves them: the product's own rows and chain, made at once. */
import Sqlite from 'better-sqlite3';
import type { Random } from '../../src/environment/random.ts';
import { appendCalls, type ChainKeys, prepareCall } from '../../src/hub/audit/append-calls.ts';
import type { AuditEntry } from '../../src/hub/audit/audit-entry.ts';
import { createStatementCache } from '../../src/store/sqlite/statement-cache.ts';

const people = 200;
const tools = 500;
const connections = 20;

/** The hub that is filled. */
export const busyHub = { id: 'bench-hub', slug: 'bench' };
/** The moment of the first row. */
export const startMs = Date.UTC(2026, 0, 1);
/** Between two rows. */
export const everyMs = 100;

/** The row number `at`. */
export function entryAt(index: number): AuditEntry {
  const person = `person-${(index * 7919) % people}`;
  const connection = `connection-${index % connections}`;
  return {
    atMs: startMs + index * everyMs,
    principal: {
      hub: busyHub,
      person: { personId: person, name: person },
      role: 'member',
      via: { kind: 'token', tokenId: `token-of-${person}`, tokenName: 'ci' },
      client: { name: 'agent', version: '1.0.0' },
    },
    method: 'tools/call',
    connection: { id: connection, name: connection },
    tool: `tool_${(index * 104_729) % tools}`,
    arguments: { query: `what is ${index}` },
    redact: { keep: index % 10 === 0, hide: [] },
    outcome: index % 100 === 0 ? 'denied' : index % 1_000_003 === 7 ? 'timeout' : 'ok',
    reason: undefined,
    durationMs: 12.5,
    requestBytes: 200,
    responseBytes: 2000,
    requestId: `request-${index}`,
  };
}

/** Few, so that they are gone from memory before they grow old. */
const together = 500;

/** Asks the system for much at a time: one call for each row would take a sixth of the whole. */
function inLargePieces(random: Random): Random {
  const size = 65_536;
  let piece = random.bytes(size);
  let used = 0;
  const bytes = (count: number): Uint8Array => {
    if (used + count > size) [piece, used] = [random.bytes(size), 0];
    used += count;
    return piece.subarray(used - count, used);
  };
  return { ...random, bytes };
}

/** Writes `count` rows to the empty audit in `file`, which nobody has open; every one is of the chain. */
export function fillAudit(file: string, count: number, keys: ChainKeys, random: Random): void {
  const sqlite = new Sqlite(file);
  try {
    // Out of the write-ahead log first: it would hold all of it a second time.
    for (const mode of ['DELETE', 'OFF']) sqlite.pragma(`journal_mode = ${mode}`);
    sqlite.pragma('synchronous = OFF');
    sqlite.pragma('cache_size = -1000000');
    const indexes = sqlite.prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'entries'`,
    );
    const all = indexes.all();
    // Made at the end they take a tenth of the time.
    for (const { name } of all) sqlite.exec(`DROP INDEX ${name}`);
    const sql = createStatementCache(sqlite);
    const pooled = inLargePieces(random);
    sqlite.transaction(() => {
      for (let from = 0; from < count; from += together) {
        const calls = Array.from({ length: Math.min(together, count - from) }, (_, index) => entryAt(from + index));
        appendCalls(
          sql,
          calls.map((call) => prepareCall(call, keys, pooled)),
          keys,
        );
      }
    })();
    for (const { sql } of all) sqlite.exec(sql);
  } finally {
    sqlite.close();
  }
}
