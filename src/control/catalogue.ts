/** The catalogue of each instance: only texts that parse get in. */
import { distance } from 'fastest-levenshtein';
import { vpError } from '../errors/vp-error.ts';
import type { Scenario } from '../scenario/scenario.ts';
import {
  deleteScenario,
  findRevision,
  findScenario,
  headRevision,
  listRevisions,
  listScenarios,
  type NewRevision,
  type RevisionDocument,
  writeScenario,
} from '../store/control/catalogue.ts';
import type { InstanceRow } from '../store/control/instances.ts';
import type { Sql } from '../store/sql.ts';
import { digestOf } from './arrival.ts';
import type { Actor, Catalogue, PageQuery } from './control.ts';
import { requireInstance } from './instances.ts';
import { pageOf } from './page.ts';
import type { ControlParts } from './parts.ts';
import { readScenario } from './read-scenario.ts';
import { wireDocument, wireScenario } from './wire.ts';

function suggestionFor(sql: Sql, instance: string, scenario: string): string {
  const ids = listScenarios(sql, instance, '', 500).map((row) => row.scenario_id);
  const near = ids.filter((id) => distance(id, scenario) <= Math.max(2, scenario.length / 4));
  const [best] = near.sort((a, b) => distance(a, scenario) - distance(b, scenario));
  return best === undefined ? '' : `; did you mean ${best}?`;
}

/** The current revision of a scenario. Throws SCENARIO_UNKNOWN with the nearest name. */
export function requireScenario(sql: Sql, instance: string, scenario: string): RevisionDocument {
  const row = findScenario(sql, instance, scenario);
  if (row) return row;
  throw vpError('SCENARIO_UNKNOWN', { instance, scenario, suggestion: suggestionFor(sql, instance, scenario) });
}

/** A parsed text as a row to be stored. */
export function newRevision(instance: string, scenario: Scenario, actor: Actor, nowMs: number): NewRevision {
  const { id, title, layer, tags, source: text } = scenario;
  return { instance, scenario: id, title, layer, tags, text, sha256: digestOf(text), by: actor.name, nowMs };
}

/** Writes unless the catalogue already has this text; guards against overwriting what the writer has not seen. */
function write(parts: ControlParts, sql: Sql, revision: NewRevision, expected: number | undefined): void {
  const { instance, scenario } = revision;
  const head = headRevision(sql, instance, scenario);
  const found = head.deleted ? 0 : head.revision;
  if (expected !== undefined && expected !== found) throw vpError('SCENARIO_CHANGED', { scenario, found, expected });
  if (findScenario(sql, instance, scenario)?.sha256 === revision.sha256) return;
  writeScenario(sql, parts.context.store.counters, revision);
}

function pageOfScenarios(sql: Sql, instance: string, { limit, cursor }: PageQuery) {
  requireInstance(sql, instance);
  return pageOf(listScenarios(sql, instance, cursor ?? '', limit + 1), limit, wireScenario, (row) => row.scenario_id);
}

/** The catalogue of a control plane. */
export function catalogueOf(parts: ControlParts): Catalogue {
  const { store, clock } = parts.context;
  const { database, counters } = store;
  return {
    list: (instance, page) => database.read((sql) => pageOfScenarios(sql, instance, page)),
    get: (instance, scenario, revision) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        if (revision === undefined) return wireDocument(requireScenario(sql, instance, scenario));
        const row = findRevision(sql, instance, scenario, revision);
        if (row) return wireDocument(row);
        throw vpError('SCENARIO_REVISION_UNKNOWN', { scenario, revision });
      }),
    history: (instance, scenario) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        const rows = listRevisions(sql, instance, scenario);
        if (rows.length === 0) requireScenario(sql, instance, scenario);
        return rows.map(wireScenario);
      }),
    async write(instance, scenario, input, actor) {
      const row: InstanceRow = await database.read((sql) => requireInstance(sql, instance));
      const parsed = readScenario(input.text, row);
      if (parsed.id !== scenario) throw vpError('SCENARIO_ID_DIFFERS', { found: parsed.id, expected: scenario });
      return database.write((sql) => {
        requireInstance(sql, instance);
        write(parts, sql, newRevision(instance, parsed, actor, clock.nowMs()), input.if_revision);
        return wireDocument(requireScenario(sql, instance, scenario));
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
