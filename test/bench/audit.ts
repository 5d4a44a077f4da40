/**
 * The audit of a hub: calls written while sixteen are under way, and searches in many rows (10,000,000; --quick: 300,000).
 * The first 100,000 rows are made by the product's own code; the others are copies of them, later in time.
 */
import { mkdirSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type AuditLog, auditFile, openAudit } from '../../src/hub/audit/audit-log.ts';
import type { AuditWanted } from '../../src/hub/audit/question.ts';
import type { AuditEntry } from '../../src/hub/words.ts';
import { quantile, timed } from './measure.ts';
import type { Place } from './place.ts';
import { type Row, under } from './row.ts';

const hub = { id: 'bench-hub', slug: 'bench' };
const people = 200;
const tools = 500;
const startMs = Date.UTC(2026, 0, 1);

function entryAt(at: number): AuditEntry {
  const person = `person-${(at * 7919) % people}`;
  return {
    atMs: startMs + at * 100,
    principal: {
      hub,
      person: { personId: person, name: person },
      role: 'member',
      via: { kind: 'token', tokenId: `token-of-${person}`, tokenName: 'ci' },
      client: { name: 'agent', version: '1.0.0' },
    },
    method: 'tools/call',
    connection: { id: `c-${at % 20}`, name: `connection-${at % 20}` },
    tool: `tool_${(at * 104_729) % tools}`,
    arguments: { query: `what is ${at}` },
    redact: { keep: at % 10 === 0, hide: [] },
    outcome: at % 100 === 0 ? 'denied' : at % 1_000_003 === 7 ? 'timeout' : 'ok',
    reason: undefined,
    durationMs: 12.5,
    requestBytes: 200,
    answerBytes: 2000,
    requestId: `request-${at}`,
  };
}

async function fill(audit: AuditLog, count: number): Promise<void> {
  const together = 2000;
  for (let at = 0; at < count; at += together)
    await Promise.all(
      Array.from({ length: Math.min(together, count - at) }, (_, one) => audit.record(entryAt(at + one))),
    );
}

const written = 100_000;

/** Copies what was written until there are `count` rows. */
function multiply(file: string, count: number): void {
  const sqlite = new Sqlite(file);
  sqlite.pragma('journal_mode = MEMORY');
  sqlite.pragma('synchronous = OFF');
  sqlite.pragma('cache_size = -1000000');
  const indexes = sqlite.prepare<[], { name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'entries'`,
  );
  const all = indexes.all();
  // Made at the end they take a tenth of the time.
  for (const { name } of all) sqlite.exec(`DROP INDEX ${name}`);
  const copy = sqlite.prepare(
    `INSERT INTO entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
     SELECT hub, seq + ?, at_ms + ?, person_key, via_key, connection_key, tool_key, (request_key + ?) % 4294967295 + 1,
       outcome, body, mac FROM entries WHERE id <= ${written}`,
  );
  for (let from = written; from < count; from += written) copy.run(from, from * 100, from * 7);
  for (const { sql } of all) sqlite.exec(sql);
  sqlite.prepare('UPDATE chains SET head_seq = ?').run(count);
  sqlite.close();
}

/** Sixteen callers, each of whom waits for its row. */
async function callsASecond(audit: AuditLog, from: number, each: number): Promise<number> {
  const callers = Array.from({ length: 16 }, async (_, caller) => {
    for (let at = 0; at < each; at += 1) await audit.record(entryAt(from + caller * each + at));
  });
  const ms = await timed(() => Promise.all(callers));
  return (16 * each * 1000) / ms;
}

/** What people ask for, in a hub that was busy for days. */
function questions(count: number): readonly AuditWanted[] {
  const middle = startMs + (count / 2) * 100;
  const all: Omit<AuditWanted, 'limit'>[] = [
    {},
    { person: 'person-17' },
    { person: 'person-17', tool: 'tool_123' },
    { token: 'token-of-person-99', outcome: 'denied' },
    { tool: 'tool_42' },
    { outcome: 'denied' },
    { outcome: 'timeout' },
    { connection: 'connection-3' },
    { requestId: `request-${Math.floor(written / 3)}` },
    { fromMs: middle, toMs: middle + 3_600_000 },
    { person: 'person-17', fromMs: middle, toMs: middle + 86_400_000 },
    { tool: 'no_such_tool' },
  ];
  return all.map((wanted) => ({ ...wanted, limit: 50 }));
}

/** Rows of the table. */
export async function audit(place: Place): Promise<Row[]> {
  const count = place.quick ? 300_000 : 10_000_000;
  const folder = place.fresh('audit');
  mkdirSync(folder, { recursive: true });
  const options = {
    folder,
    masterKey: { id: 0, bytes: systemRandom.bytes(32) },
    clock: systemClock,
    random: systemRandom,
  };
  const settings = {
    maxBytes: 64 * 1024 ** 3,
    maxAgeMs: Number.MAX_SAFE_INTEGER,
    argumentsMaxAgeMs: Number.MAX_SAFE_INTEGER,
  };
  const failed = (fault: unknown): never => {
    throw fault;
  };
  const first = await openAudit({ ...options, settings, onFault: failed });
  await fill(first, written);
  await first.close();
  multiply(auditFile(folder), count);
  const log = await openAudit({ ...options, settings, onFault: failed });
  try {
    const rate = await callsASecond(log, count, place.quick ? 200 : 1000);
    const slowest: number[] = [];
    for (const wanted of questions(count)) {
      const samples: number[] = [];
      for (let round = 0; round < 9; round += 1) samples.push(await timed(() => log.search(hub.id, wanted)));
      slowest.push(quantile(samples, 0.9));
    }
    const rows = count.toLocaleString('en');
    const search: Row = {
      measured: `slowest of ${slowest.length} usual searches in an audit of ${rows} rows`,
      value: Math.max(...slowest),
      unit: 'ms',
    };
    const calls: Row = {
      measured: `calls written to an audit of ${rows} rows, 16 at once`,
      value: rate,
      unit: 'calls/s',
    };
    return [under(search, 100), calls];
  } finally {
    await log.close();
  }
}
