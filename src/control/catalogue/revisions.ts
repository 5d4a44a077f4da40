/** Finding and writing revisions within a transaction. */
import { hash } from 'node:crypto';
import { findSuggestion } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import {
  findScenario,
  findScenarioHead,
  insertScenarioRevision,
  listScenarios,
  type NewRevision,
  type RevisionDocument,
  resolveScenarioId,
  type ScenarioHead,
} from '../../store/control/instances/catalogue.ts';
import { findDeletedScenario } from '../../store/control/instances/scenario-removal.ts';
import type { Sql } from '../../store/sql.ts';
import type { Actor } from '../control.ts';
import type { ControlRuntime } from '../runtime.ts';

function suggestScenario(sql: Sql, instance: string, scenario: string): string {
  const ids = listScenarios(sql, instance, '', 500).map((row) => row.scenario_id);
  const suggestion = findSuggestion(scenario, ids);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/**
 * The current revision of a scenario, also under a former id. Throws SCENARIO_DELETED, or SCENARIO_UNKNOWN, which suggests the
 * most similar id.
 */
export function requireScenario(sql: Sql, instance: string, id: string): RevisionDocument {
  // What is in the catalogue has not been renamed.
  const current = findScenario(sql, instance, id);
  if (current) return current;
  const scenario = resolveScenarioId(sql, instance, id);
  const renamed = scenario === id ? undefined : findScenario(sql, instance, scenario);
  if (renamed) return renamed;
  const deleted = findDeletedScenario(sql, instance, scenario);
  if (deleted) {
    const by = deleted.removed_by === null ? '' : ` by ${deleted.removed_by}`;
    throw vpError('SCENARIO_DELETED', { scenario, instance, revision: deleted.revision ?? 0, by });
  }
  throw vpError('SCENARIO_UNKNOWN', { instance, scenario, suggestion: suggestScenario(sql, instance, scenario) });
}

/** Throws SCENARIO_RENAMED for a former id, SCENARIO_CHANGED unless the catalogue is at `expected`. */
export function assertScenarioHead(head: ScenarioHead, scenario: string, expected: number | undefined): void {
  if (head.renamedTo !== undefined) throw vpError('SCENARIO_RENAMED', { scenario, new_id: head.renamedTo });
  const currentRevision = head.deleted ? 0 : head.revision;
  if (expected !== undefined && expected !== currentRevision)
    throw vpError('SCENARIO_CHANGED', { scenario, found: currentRevision, expected });
}

export function toNewRevision(instance: string, scenario: Scenario, actor: Actor, nowMs: number): NewRevision {
  const { id, title, layer, tags, owner, links, source: text } = scenario;
  return {
    instance,
    scenario: id,
    title,
    layer,
    tags,
    owner,
    links,
    text,
    sha256: hash('sha256', text),
    createdBy: actor.name,
    nowMs,
  };
}

/**
 * Writes unless the catalogue already has this text. `expected` guards against overwriting a revision that the writer has
 * not seen; 0 also accepts the id of a renamed scenario, which becomes a scenario of its own.
 */
export function writeRevision(
  { context }: ControlRuntime,
  sql: Sql,
  revision: NewRevision,
  expected: number | undefined,
): void {
  const { instance, scenario } = revision;
  const head = findScenarioHead(sql, instance, scenario);
  if (expected !== undefined && (expected > 0 || !head.deleted)) assertScenarioHead(head, scenario, expected);
  if (findScenario(sql, instance, scenario)?.sha256 === revision.sha256) return;
  insertScenarioRevision(sql, context.store.counters, revision);
}
