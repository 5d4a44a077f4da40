/**
 * The audit of a hub: calls written while sixteen are under way, and searches in many rows (10,000,000; --quick: 300,000),
 * all of them made and chained by the product's own code.
 */
import { mkdirSync } from 'node:fs';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import {
  type AuditLog,
  createChainKeys,
  getAuditFile,
  openAudit,
  unsealAuditKey,
} from '../../src/hub/audit/audit-log.ts';
import type { AuditSearch } from '../../src/hub/audit/audit-search.ts';
import { readAuditMeta } from '../../src/store/audit/chains.ts';
import { openAuditReader } from '../../src/store/engine.ts';
import { busyHub, entryAt, everyMs, fillAudit, startMs } from './audit-rows.ts';
import type { BenchContext } from './bench-context.ts';
import { quantile, timed } from './measure.ts';
import { type Row, under } from './row.ts';

/** Sixteen callers, each of whom waits for its row. */
export async function callsASecond(audit: AuditLog, from: number, each: number): Promise<number> {
  const callers = Array.from({ length: 16 }, async (_, caller) => {
    for (let index = 0; index < each; index += 1) await audit.record(entryAt(from + caller * each + index));
  });
  const ms = await timed(() => Promise.all(callers));
  return (16 * each * 1000) / ms;
}

/** What people ask for, in a hub that was busy for days. */
function questions(count: number): readonly AuditSearch[] {
  const middle = startMs + (count / 2) * everyMs;
  const all: Omit<AuditSearch, 'limit'>[] = [
    {},
    { person: 'person-17' },
    { person: 'person-17', tool: 'tool_123' },
    { token: 'token-of-person-99', outcome: 'denied' },
    { tool: 'tool_42' },
    { outcome: 'denied' },
    { outcome: 'timeout' },
    { connection: 'connection-3' },
    { requestId: `request-${Math.floor(count / 3)}` },
    { fromMs: middle, toMs: middle + 3_600_000 },
    { person: 'person-17', fromMs: middle, toMs: middle + 86_400_000 },
    { tool: 'no_such_tool' },
    { person: 'person-17', connection: 'connection-4', outcome: 'timeout' },
    { connection: 'no-such-connection' },
    { connection: 'connection-3', outcome: 'ok', fromMs: middle, toMs: middle + 3_600_000 },
  ];
  return all.map((query) => ({ ...query, limit: 50 }));
}

export const limitless = {
  maxBytes: 64 * 1024 ** 3,
  maxAgeMs: Number.MAX_SAFE_INTEGER,
  argumentsMaxAgeMs: Number.MAX_SAFE_INTEGER,
};

/** An audit with `count` rows. */
async function filled(folder: string, count: number): Promise<AuditLog> {
  mkdirSync(folder, { recursive: true });
  const masterKey = { id: 0, bytes: systemRandom.bytes(32) };
  const onFault = (fault: unknown): never => {
    throw fault;
  };
  const options = {
    folder,
    masterKey,
    clock: systemClock,
    random: systemRandom,
    settings: limitless,
    onError: onFault,
  };
  await (await openAudit(options)).close();
  const file = getAuditFile(folder);
  const reader = openAuditReader(file);
  const sealed = reader.read((sql) => readAuditMeta(sql, 'key'));
  reader.close();
  if (!sealed) throw new TypeError('the audit has no key');
  fillAudit(file, count, createChainKeys(unsealAuditKey(masterKey, sealed, folder)), systemRandom);
  return openAudit(options);
}

/** Each question's time at first, with nothing of the file in memory of ours, and its usual time. */
async function runSearches(log: AuditLog, count: number): Promise<{ first: number[]; usual: number[] }> {
  const first: number[] = [];
  const usual: number[] = [];
  for (const query of questions(count)) {
    const ask = () => timed(() => log.search(busyHub.id, query));
    first.push(await ask());
    const samples: number[] = [];
    for (let round = 0; round < 31; round += 1) samples.push(await ask());
    usual.push(quantile(samples, 0.9));
  }
  return { first, usual };
}

/** Rows of the table. */
export async function audit(context: BenchContext): Promise<Row[]> {
  const count = context.quick ? 300_000 : 10_000_000;
  const log = await filled(context.fresh('audit'), count);
  try {
    const { first, usual } = await runSearches(log, count);
    const rate = await callsASecond(log, count, context.quick ? 200 : 1000);
    const rows = count.toLocaleString('en');
    const among = `slowest of ${usual.length} searches in an audit of ${rows} rows`;
    return [
      under({ measured: among, value: Math.max(...usual), unit: 'ms' }, 100),
      under({ measured: `${among}, each made once`, value: Math.max(...first), unit: 'ms' }, 100),
      { measured: `calls written to an audit of ${rows} rows, 16 at once`, value: rate, unit: 'calls/s' },
    ];
  } finally {
    await log.close();
  }
}
