/** Scenarios in quarantine: they run as ever, and until its end their failures do not count. */
import { maxQuarantineDays } from '../../contract/quarantine-limits.ts';
import type { SetQuarantineRequest } from '../../contract/quarantines-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { deleteQuarantine, type QuarantineRow, saveQuarantine } from '../../store/control/instances/quarantines.ts';
import type { Sql } from '../../store/sql.ts';
import type { Actor } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import type { QuarantinesService } from './quarantines-service.ts';
import { readQuarantines, toQuarantine } from './read-quarantines.ts';
import { requireScenario } from './revisions.ts';

const dayMs = 86_400_000;

/** A whole day may be named: its end is up to a day later than the same time of it. */
function parseEnd(until: string, scenario: string, nowMs: number): number {
  const untilMs = Date.parse(until);
  const fail = (problem: string) => vpError('QUARANTINE_INVALID', { scenario, problem, days: maxQuarantineDays });
  if (Number.isNaN(untilMs)) throw fail(`its end ${until} is not a valid time`);
  if (untilMs <= nowMs) throw fail(`its end ${until} is in the past`);
  if (untilMs >= (Math.floor(nowMs / dayMs) + maxQuarantineDays + 1) * dayMs)
    throw fail(`its end ${until} is more than ${maxQuarantineDays} days ahead`);
  return untilMs;
}

function toQuarantineRow(
  sql: Sql,
  { instance, scenario }: { readonly instance: string; readonly scenario: string },
  input: SetQuarantineRequest,
  actor: Actor,
  nowMs: number,
): QuarantineRow {
  const { scenario_id: id, owner } = requireScenario(sql, instance, scenario);
  const reason = input.reason.replaceAll(/\s+/g, ' ').trim();
  if (reason === '')
    throw vpError('QUARANTINE_INVALID', { scenario: id, problem: 'it has no reason', days: maxQuarantineDays });
  return {
    ...{ instance_id: instance, scenario_id: id, until_ms: parseEnd(input.until, id, nowMs), reason },
    owner: input.owner?.trim() || owner || actor.name,
    ...{ created_by: actor.name, created_at_ms: nowMs },
  };
}

export function createQuarantinesService({ context: { store, clock } }: ControlRuntime): QuarantinesService {
  const { database, counters } = store;
  return {
    list(instance) {
      const nowMs = clock.nowMs();
      return database.read((sql) => {
        requireInstance(sql, instance);
        return [...readQuarantines(sql, instance, nowMs).values()];
      });
    },
    set(instance, scenario, input, actor) {
      const nowMs = clock.nowMs();
      return database.write((sql) => {
        requireInstance(sql, instance);
        const row = toQuarantineRow(sql, { instance, scenario }, input, actor, nowMs);
        saveQuarantine(sql, counters, row);
        return toQuarantine(row, nowMs);
      });
    },
    release(instance, scenario) {
      const nowMs = clock.nowMs();
      return database.write((sql) => {
        requireInstance(sql, instance);
        const { scenario_id: id } = requireScenario(sql, instance, scenario);
        if (!deleteQuarantine(sql, counters, { instance, scenario: id, nowMs }))
          throw vpError('QUARANTINE_ABSENT', { scenario: id, instance });
      });
    },
  };
}
