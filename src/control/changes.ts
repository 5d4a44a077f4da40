/** What changed, for streams: rows carry the commit sequence, so a stream resumes where it stopped. */
import type { ChangeEvent } from '../contract/api.ts';
import { scenariosSince } from '../store/control/catalogue.ts';
import { instancesSince } from '../store/control/instances.ts';
import { goneSince, runsSince } from '../store/control/runs.ts';
import type { Sql } from '../store/sql.ts';
import type { Changes } from './control.ts';
import type { ControlParts } from './parts.ts';
import { wireInstance, wireRun } from './wire.ts';

function eventsSince(parts: ControlParts, sql: Sql, since: number, instance: string | undefined, limit: number) {
  const { presences, context } = parts;
  const mine = (id: string): boolean => instance === undefined || id === instance;
  const events: ChangeEvent[] = [
    ...runsSince(sql, since, instance, limit).map((row) => ({ seq: row.seq, type: 'run' as const, run: wireRun(row) })),
    ...instancesSince(sql, since)
      .filter((row) => mine(row.id))
      .map((row) => ({
        seq: row.seq,
        type: 'instance' as const,
        instance: wireInstance(row, presences.of(row), context.settings.recommendedVersion),
      })),
    ...scenariosSince(sql, since, limit)
      .filter((row) => mine(row.instance_id))
      .map((row) => ({
        seq: row.seq,
        type: 'scenario' as const,
        instance: row.instance_id,
        scenario_id: row.scenario_id,
        revision: row.revision,
        deleted: row.deleted === 1,
      })),
    ...goneSince(sql, since)
      .filter((row) => mine(row.id))
      .map((row) => ({ seq: row.seq, type: 'gone' as const, instance: row.id })),
  ];
  return events.sort((a, b) => a.seq - b.seq);
}

/** Changes of a control plane. A page that is cut short goes on at its last event; a whole one at the newest number. */
export function changesOf(parts: ControlParts): Changes {
  const { database, counters } = parts.context.store;
  return {
    head: async () => counters.lastSeq(),
    since: (sinceSeq, instance, limit) =>
      database.read((sql) => {
        const head = counters.lastSeq();
        const events = eventsSince(parts, sql, sinceSeq, instance, limit + 1);
        const shown = events.slice(0, limit);
        return { events: shown, seq: events.length > limit ? (shown.at(-1)?.seq ?? sinceSeq) : head };
      }),
    onCommit: (listener) => database.onCommit(listener),
  };
}
