/** The scenario catalogue of each instance. Only texts without errors are stored. */
import { vpError } from '../../errors/vp-error.ts';
import {
  findRevision,
  findScenarioHead,
  listRevisions,
  listScenarios,
  resolveScenarioId,
} from '../../store/control/instances/catalogue.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';
import { listDeletedScenarios, removeScenario } from '../../store/control/instances/scenario-removal.ts';
import type { Sql } from '../../store/sql.ts';
import type { PageQuery, ScenarioCatalogue } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import { toDeletedScenario, toPage, toScenarioDocument, toScenarioEntry } from '../wire.ts';
import { createScenarioImport } from './import-scenario.ts';
import { readScenario } from './read-scenario.ts';
import { createScenarioRename, createScenarioRestore } from './rename-restore.ts';
import { assertScenarioHead, requireScenario, toNewRevision, writeRevision } from './revisions.ts';

function listScenarioPage(sql: Sql, instance: string, { limit, cursor }: PageQuery, path?: string) {
  requireInstance(sql, instance);
  const rows = listScenarios(sql, instance, cursor ?? '', limit + 1, path);
  return toPage(rows, limit, toScenarioEntry, (row) => row.scenario_id);
}

function listDeletedPage(sql: Sql, instance: string, { limit, cursor }: PageQuery, path?: string) {
  requireInstance(sql, instance);
  const rows = listDeletedScenarios(sql, instance, cursor ?? '', limit + 1, path);
  return toPage(rows, limit, toDeletedScenario, (row) => row.scenario_id);
}

export function createScenarioCatalogue(runtime: ControlRuntime): ScenarioCatalogue {
  const { store, clock } = runtime.context;
  const { database, counters } = store;
  return {
    list: (instance, page, path) => database.read((sql) => listScenarioPage(sql, instance, page, path)),
    listDeleted: (instance, page, path) => database.read((sql) => listDeletedPage(sql, instance, page, path)),
    get: (instance, scenario, revision) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        if (revision === undefined) return toScenarioDocument(requireScenario(sql, instance, scenario));
        const row = findRevision(sql, instance, resolveScenarioId(sql, instance, scenario), revision);
        if (row) return toScenarioDocument(row);
        throw vpError('SCENARIO_REVISION_UNKNOWN', { scenario, revision });
      }),
    history: (instance, scenario) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        const rows = listRevisions(sql, instance, resolveScenarioId(sql, instance, scenario));
        if (rows.length === 0) requireScenario(sql, instance, scenario);
        return rows.map(toScenarioEntry);
      }),
    async write(instance, scenario, input, actor) {
      const row: InstanceRow = await database.read((sql) => requireInstance(sql, instance));
      const parsed = readScenario(input.text, row);
      if (parsed.id !== scenario) throw vpError('SCENARIO_ID_DIFFERS', { found: parsed.id, expected: scenario });
      return database.write((sql) => {
        requireInstance(sql, instance);
        writeRevision(runtime, sql, toNewRevision(instance, parsed, actor, clock.nowMs()), input.if_revision);
        return toScenarioDocument(requireScenario(sql, instance, scenario));
      });
    },
    remove: (instance, scenario, actor, ifRevision) =>
      database.write((sql) => {
        requireInstance(sql, instance);
        assertScenarioHead(findScenarioHead(sql, instance, scenario), scenario, undefined);
        requireScenario(sql, instance, scenario);
        assertScenarioHead(findScenarioHead(sql, instance, scenario), scenario, ifRevision);
        removeScenario(sql, counters, { instance, scenario, removedBy: actor.name, nowMs: clock.nowMs() });
      }),
    rename: createScenarioRename(runtime),
    restore: createScenarioRestore(runtime),
    import: createScenarioImport(runtime),
  };
}
