/** Changes for event streams: rows carry the commit sequence, so a stream resumes where it stopped. */
import type { ChangeEvent } from '../contract/api.ts';
import { readCommittedSeq } from '../store/control/counters.ts';
import { listChangedScenarios } from '../store/control/instances/catalogue.ts';
import { listChangedInstances } from '../store/control/instances/instances.ts';
import { listChangedRuns, listRemovedInstances } from '../store/control/runs/runs.ts';
import { slicePage } from '../store/page.ts';
import type { Sql } from '../store/sql.ts';
import type { ChangeFeed } from './control.ts';
import type { ControlRuntime } from './runtime.ts';
import { toInstance, toRun } from './wire.ts';

function listEvents(runtime: ControlRuntime, sql: Sql, sinceSeq: number, instance: string | undefined, limit: number) {
  const { presence, context } = runtime;
  const isSelected = (id: string): boolean => instance === undefined || id === instance;
  const events: ChangeEvent[] = [
    ...listChangedRuns(sql, sinceSeq, instance, limit).map((row) => ({
      seq: row.seq,
      type: 'run' as const,
      run: toRun(row),
    })),
    ...listChangedInstances(sql, sinceSeq)
      .filter((row) => isSelected(row.id))
      .map((row) => ({
        seq: row.seq,
        type: 'instance' as const,
        instance: toInstance(row, presence.get(row), context.settings.recommendedVersion),
      })),
    ...listChangedScenarios(sql, sinceSeq, limit)
      .filter((row) => isSelected(row.instance_id))
      .map((row) => ({
        seq: row.seq,
        type: 'scenario' as const,
        instance: row.instance_id,
        scenario_id: row.scenario_id,
        revision: row.revision,
        deleted: row.deleted === 1,
      })),
    ...listRemovedInstances(sql, sinceSeq)
      .filter((row) => isSelected(row.id))
      .map((row) => ({ seq: row.seq, type: 'gone' as const, instance: row.id })),
  ];
  return events.sort((a, b) => a.seq - b.seq);
}

/** A truncated page continues after its last event; a complete one after the newest sequence number. */
export function createChangeFeed(runtime: ControlRuntime): ChangeFeed {
  const { database } = runtime.context.store;
  return {
    head: () => database.read(readCommittedSeq),
    list: (sinceSeq, instance, limit) =>
      database.read((sql) => {
        const head = Math.max(sinceSeq, readCommittedSeq(sql));
        const events = listEvents(runtime, sql, sinceSeq, instance, limit + 1);
        const { items, last } = slicePage(events, limit);
        return { events: items, seq: last?.seq ?? head };
      }),
    onCommit: (listener) => database.onCommit(listener),
  };
}
