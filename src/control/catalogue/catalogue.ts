/** The scenario catalogue of each instance. Only texts without errors are stored. */
import { distance } from 'fastest-levenshtein';
import { vpError } from '../../errors/vp-error.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import {
  deleteScenario,
  findHeadRevision,
  findRevision,
  findScenario,
  insertScenarioRevision,
  listRevisions,
  listScenarios,
  type NewRevision,
  type RevisionDocument,
} from '../../store/control/instances/catalogue.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';
import type { Sql } from '../../store/sql.ts';
import type { Actor, PageQuery, ScenarioCatalogue } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import { hashText } from '../runs/report-intake.ts';
import type { ControlRuntime } from '../runtime.ts';
import { toPage, toScenarioDocument, toScenarioEntry } from '../wire.ts';
import { readScenario } from './read-scenario.ts';

function suggestScenario(sql: Sql, instance: string, scenario: string): string {
  const ids = listScenarios(sql, instance, '', 500).map((row) => row.scenario_id);
  const similar = ids.filter((id) => distance(id, scenario) <= Math.max(2, scenario.length / 4));
  const [suggestion] = similar.sort((a, b) => distance(a, scenario) - distance(b, scenario));
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/** The current revision of a scenario. Throws SCENARIO_UNKNOWN, which suggests the most similar id. */
export function requireScenario(sql: Sql, instance: string, scenario: string): RevisionDocument {
  const row = findScenario(sql, instance, scenario);
  if (row) return row;
  throw vpError('SCENARIO_UNKNOWN', { instance, scenario, suggestion: suggestScenario(sql, instance, scenario) });
}

export function toNewRevision(instance: string, scenario: Scenario, actor: Actor, nowMs: number): NewRevision {
  const { id, title, layer, tags, source: text } = scenario;
  return { instance, scenario: id, title, layer, tags, text, sha256: hashText(text), createdBy: actor.name, nowMs };
}

/**
 * Writes unless the catalogue already has this text. `expected` guards against overwriting a revision that the writer has
 * not seen.
 */
function writeRevision(runtime: ControlRuntime, sql: Sql, revision: NewRevision, expected: number | undefined): void {
  const { instance, scenario } = revision;
  const headRevision = findHeadRevision(sql, instance, scenario);
  const currentRevision = headRevision.deleted ? 0 : headRevision.revision;
  if (expected !== undefined && expected !== currentRevision)
    throw vpError('SCENARIO_CHANGED', { scenario, found: currentRevision, expected });
  if (findScenario(sql, instance, scenario)?.sha256 === revision.sha256) return;
  insertScenarioRevision(sql, runtime.context.store.counters, revision);
}

function listScenarioPage(sql: Sql, instance: string, { limit, cursor }: PageQuery) {
  requireInstance(sql, instance);
  return toPage(
    listScenarios(sql, instance, cursor ?? '', limit + 1),
    limit,
    toScenarioEntry,
    (row) => row.scenario_id,
  );
}

export function createScenarioCatalogue(runtime: ControlRuntime): ScenarioCatalogue {
  const { store, clock } = runtime.context;
  const { database, counters } = store;
  return {
    list: (instance, page) => database.read((sql) => listScenarioPage(sql, instance, page)),
    get: (instance, scenario, revision) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        if (revision === undefined) return toScenarioDocument(requireScenario(sql, instance, scenario));
        const row = findRevision(sql, instance, scenario, revision);
        if (row) return toScenarioDocument(row);
        throw vpError('SCENARIO_REVISION_UNKNOWN', { scenario, revision });
      }),
    history: (instance, scenario) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        const rows = listRevisions(sql, instance, scenario);
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
    remove: (instance, scenario) =>
      database.write((sql) => {
        requireInstance(sql, instance);
        requireScenario(sql, instance, scenario);
        deleteScenario(sql, counters, instance, scenario);
      }),
  };
}
