/** Rows of a hub's audit on PostgreSQL and in a file, in turns: one after another, and sixteen callers at once. */
import { mkdirSync } from 'node:fs';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type AuditLog, openAudit } from '../../src/hub/audit/audit-log.ts';
import type { AuditDatabase } from '../../src/store/audit/audit-database.ts';
import { readPostgresSettings } from '../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../src/store/postgres/stores.ts';
import type { PostgresServer } from '../postgres/postgres-server.ts';
import { callsASecond, limitless } from './audit.ts';
import { entryAt } from './audit-rows.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import type { Row } from './row.ts';

async function openEmptyAudit(folder: string, database?: AuditDatabase): Promise<AuditLog> {
  mkdirSync(folder, { recursive: true });
  return await openAudit({
    ...{ folder, database, clock: systemClock, random: systemRandom, settings: limitless },
    masterKey: { id: 0, bytes: systemRandom.bytes(32) },
    onError(error) {
      throw error;
    },
  });
}

function measureAppends(audit: AuditLog, each: number) {
  let next = 0;
  return {
    alone: series(() => timed(() => audit.record(entryAt(next++)))),
    rate: series(async () => {
      next += 16 * each;
      return await callsASecond(audit, next, each);
    }),
  };
}

export async function measureAudit(context: BenchContext, server: PostgresServer): Promise<Row[]> {
  await server.query('CREATE DATABASE audit');
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url: server.getUrl('audit') }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock });
  const onPostgres = await openEmptyAudit(context.fresh('audit'), stores.audit);
  const inFile = await openEmptyAudit(context.fresh('audit'));
  try {
    const each = context.quick ? 50 : 500;
    const [tables, file] = [measureAppends(onPostgres, each), measureAppends(inFile, each)];
    await inTurns(context.quick ? 100 : 1000, [tables.alone, file.alone], 50);
    await inTurns(context.quick ? 2 : 5, [tables.rate, file.rate], 2);
    const row = (measured: string, unit: 'ms' | 'calls/s', [value, floor]: readonly [number, number]): Row => ({
      ...{ measured, value, unit },
      floor: { what: 'in a file, not yet synced', value: floor },
    });
    return [
      row('audit row of a call on PostgreSQL, synced, p50', 'ms', [
        median(tables.alone.samples),
        median(file.alone.samples),
      ]),
      row('the same, 16 callers at once', 'calls/s', [median(tables.rate.samples), median(file.rate.samples)]),
    ];
  } finally {
    await Promise.all([onPostgres.close(), inFile.close()]);
    await Promise.all([stores.control.close(), stores.memory.close()]);
    await stores.close();
  }
}
