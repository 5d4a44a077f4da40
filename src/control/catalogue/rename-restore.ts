/** Renames scenarios and restores earlier revisions, both as new revisions. */
import { vpError } from '../../errors/vp-error.ts';
import { replaceScenarioId } from '../../scenario/id-range.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import {
  findRevision,
  findScenario,
  findScenarioHead,
  insertScenarioRevision,
  resolveScenarioId,
} from '../../store/control/instances/catalogue.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';
import { removeScenario } from '../../store/control/instances/scenario-removal.ts';
import type { Sql } from '../../store/sql.ts';
import type { ScenarioCatalogue } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import { toScenarioDocument } from '../wire.ts';
import { readScenario } from './read-scenario.ts';
import { assertScenarioHead, requireScenario, toNewRevision } from './revisions.ts';

/** The text under another ID, read again, because the instance's variables may have changed since it was written. */
function readRenamed(text: string, id: string, instance: InstanceRow): Scenario {
  const scenario = readScenario(text, instance);
  return scenario.id === id ? scenario : readScenario(replaceScenarioId(scenario, id), instance);
}

/** An ID is free when no scenario ever had it, or when it is a former ID of this one. */
function assertFreeId(sql: Sql, instance: string, id: string, scenario: string): void {
  const { revision, deleted } = findScenarioHead(sql, instance, id);
  if (revision === 0 || resolveScenarioId(sql, instance, id) === scenario) return;
  const holder = deleted ? 'a deleted scenario, whose revisions it would get' : 'another scenario';
  throw vpError('SCENARIO_ID_TAKEN', { id, holder });
}

export function createScenarioRename(runtime: ControlRuntime): ScenarioCatalogue['rename'] {
  const { store, clock } = runtime.context;
  const { database, counters } = store;
  return (instance, scenario, { new_id: newId, if_revision: expected }, actor) =>
    database.write((sql) => {
      const row = requireInstance(sql, instance);
      const head = findScenarioHead(sql, instance, scenario);
      assertScenarioHead(head, scenario, expected);
      const { text } = requireScenario(sql, instance, scenario);
      if (newId === scenario) return toScenarioDocument(requireScenario(sql, instance, scenario));
      assertFreeId(sql, instance, newId, scenario);
      const revision = toNewRevision(instance, readRenamed(text, newId, row), actor, clock.nowMs());
      removeScenario(sql, counters, {
        ...{ instance, scenario, removedBy: actor.name, nowMs: clock.nowMs(), renamedTo: newId },
      });
      insertScenarioRevision(sql, counters, revision, head.revision + 1);
      return toScenarioDocument(requireScenario(sql, instance, newId));
    });
}

export function createScenarioRestore(runtime: ControlRuntime): ScenarioCatalogue['restore'] {
  const { store, clock } = runtime.context;
  const { database, counters } = store;
  return (instance, scenario, { revision: restoredFrom, if_revision: expected }, actor) =>
    database.write((sql) => {
      const row = requireInstance(sql, instance);
      const head = findScenarioHead(sql, instance, scenario);
      if (head.revision === 0) requireScenario(sql, instance, scenario);
      assertScenarioHead(head, scenario, expected);
      const source = findRevision(sql, instance, scenario, restoredFrom);
      if (!source) throw vpError('SCENARIO_REVISION_UNKNOWN', { scenario, revision: restoredFrom });
      const restored = toNewRevision(instance, readRenamed(source.text, scenario, row), actor, clock.nowMs());
      if (findScenario(sql, instance, scenario)?.sha256 !== restored.sha256)
        insertScenarioRevision(sql, counters, { ...restored, restoredFrom });
      return toScenarioDocument(requireScenario(sql, instance, scenario));
    });
}
