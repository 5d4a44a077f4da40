/** The newest page of an instance over HTTP while the database has a million runs, half of them of this instance. */
import type { PostgresServer } from '../postgres/postgres-server.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import type { Plane } from './plane.ts';
import { type Row, under } from './row.ts';

const pageLength = 50;
const otherInstances = 9;

/** Runs like the oldest of `instance`, each a second earlier than the next. Totals need not count them. */
const fillText = (instance: string, count: number): string => `
SET session_replication_role = replica;
INSERT INTO vp_control.runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by,
  requested_at_ms, leased_at_ms, started_at_ms, finished_at_ms, epoch, fence, observed_status, assertions_enforced_count,
  duration_ms, report_expired, seq)
SELECT m.id - place * 1000, CASE place % 2 WHEN 0 THEN m.instance_id ELSE 'other-' || (place / 2 % ${otherInstances}) END,
  m.scenario_id, m.revision_id, 'tr-' || place || '-stored', CASE place % 20 WHEN 0 THEN 'failed' ELSE 'passed' END, 'queue',
  'bench', m.id - place * 1000, m.id - place * 1000 + 2, m.id - place * 1000 + 3, m.id - place * 1000 + 9, 1, place, 200, 5,
  6.5, 1, m.seq - place
FROM generate_series(1, ${count}) AS place,
  (SELECT * FROM vp_control.runs WHERE instance_id = '${instance}' ORDER BY id LIMIT 1) AS m;
RESET session_replication_role;
ANALYZE vp_control.runs`;

export async function measureNewestPage(
  { quick }: BenchContext,
  server: PostgresServer,
  { client }: Plane,
  instance: string,
): Promise<Row> {
  const page = async (): Promise<void> => {
    const { items } = await client.runs.list({ instance, limit: pageLength });
    if (items.length !== pageLength) throw new Error(`a page of ${items.length} runs`);
  };
  const few = series(() => timed(page));
  await inTurns(quick ? 20 : 100, [few], 10);
  const stored = quick ? 100_000 : 1_000_000;
  await server.query(fillText(instance, stored), 'bench');
  const many = series(() => timed(page));
  await inTurns(quick ? 20 : 200, [many], 20);
  const measured = `${stored.toLocaleString('en')} runs on PostgreSQL: newest page of an instance, p50`;
  const floor = { what: 'few runs', value: median(few.samples) };
  return under({ measured, value: median(many.samples), unit: 'ms', floor }, 20);
}
