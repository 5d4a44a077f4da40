/**
 * Imports a file by comparing three texts: the file, the catalogue, and what both were at the last import (the base). Only a
 * change of one side is taken over; changes of both are a conflict, and nothing is overwritten silently.
 */
import { vpError } from '../../errors/vp-error.ts';
import {
  findRevision,
  findScenario,
  findScenarioHead,
  listRevisions,
  type NewRevision,
  type RevisionDocument,
  type ScenarioHead,
} from '../../store/control/instances/catalogue.ts';
import {
  findDeletedScenario,
  findImport,
  type ImportedText,
  type ImportKey,
  saveImport,
} from '../../store/control/instances/scenario-removal.ts';
import type { Sql } from '../../store/sql.ts';
import type { Actor, ScenarioCatalogue } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import { toScenarioEntry } from '../wire.ts';
import { readScenario } from './read-scenario.ts';
import { toNewRevision, writeRevision } from './revisions.ts';

type ImportRequest = Parameters<ScenarioCatalogue['import']>[2];
type ImportResponse = Awaited<ReturnType<ScenarioCatalogue['import']>>;

/** What is compared. `base` is the catalogue's revision that the file is based on; undefined when that is not known. */
type Comparison = {
  readonly sha256: string;
  readonly head: ScenarioHead;
  readonly current: RevisionDocument | undefined;
  readonly base: ImportedText | undefined;
  /** The file's text at its last import. */
  readonly imported: ImportedText | undefined;
  /** Whether the text is a revision of the catalogue. */
  readonly isKnown: () => boolean;
};

type Outcome = ImportResponse['outcome'];

function decide({ sha256, head, current, base, imported, isKnown }: Comparison): Outcome {
  if (head.revision === 0) return 'created';
  if (current?.sha256 === sha256) return 'unchanged';
  if (sha256 === base?.sha256 || sha256 === imported?.sha256) return 'kept';
  if (current && base?.revision === head.revision) return 'updated';
  return base === undefined && isKnown() ? 'kept' : 'conflict';
}

/**
 * The base that the client names (0: unknown), else the last import of this source, else the newest revision if the importer
 * itself wrote it.
 */
function findBase(sql: Sql, key: ImportKey, request: ImportRequest, current: RevisionDocument | undefined, by: Actor) {
  const { base_revision: revision } = request;
  const imported = findImport(sql, key);
  if (revision !== undefined) {
    const row = findRevision(sql, key.instance, key.scenario, revision);
    return { imported, base: row && { revision, sha256: row.sha256 } };
  }
  const own = current?.created_by === by.name ? current : undefined;
  return { imported, base: imported ?? (own && { revision: own.revision ?? 0, sha256: own.sha256 }) };
}

function describeCatalogue(sql: Sql, { instance, scenario }: ImportKey, { head, current }: Comparison): string {
  if (current) return `the catalogue has revision ${current.revision} by ${current.created_by}`;
  if (head.renamedTo !== undefined) return `the catalogue calls it ${head.renamedTo} now`;
  const by = findDeletedScenario(sql, instance, scenario)?.removed_by ?? null;
  return `it was deleted from the catalogue at revision ${head.revision}${by === null ? '' : ` by ${by}`}`;
}

function explain(sql: Sql, key: ImportKey, comparison: Comparison, outcome: Outcome): string {
  const catalogue = describeCatalogue(sql, key, comparison);
  const { base, imported } = comparison;
  if (outcome === 'conflict')
    return base === undefined || base.revision === 0
      ? `${catalogue}, and this file was never imported, pulled or pushed on this machine`
      : `${catalogue}, and this file is based on revision ${base.revision}`;
  return base === undefined && imported === undefined
    ? `${catalogue}, and this file is an earlier revision`
    : `${catalogue}, and this file has not changed since it was imported`;
}

export function createScenarioImport(runtime: ControlRuntime): ScenarioCatalogue['import'] {
  const { store, clock } = runtime.context;
  return async (instance, scenario, request, actor) => {
    const row = await store.database.read((sql) => requireInstance(sql, instance));
    const parsed = readScenario(request.text, row);
    if (parsed.id !== scenario) throw vpError('SCENARIO_ID_DIFFERS', { found: parsed.id, expected: scenario });
    return store.database.write((sql) => {
      requireInstance(sql, instance);
      const revision = toNewRevision(instance, parsed, actor, clock.nowMs());
      return importRevision(runtime, sql, revision, request, actor);
    });
  };
}

function importRevision(
  runtime: ControlRuntime,
  sql: Sql,
  revision: NewRevision,
  request: ImportRequest,
  actor: Actor,
): ImportResponse {
  const { instance, scenario, sha256, nowMs } = revision;
  const key = { instance, scenario, source: request.source };
  const current = findScenario(sql, instance, scenario);
  const comparison: Comparison = {
    ...{ sha256, head: findScenarioHead(sql, instance, scenario), current },
    ...findBase(sql, key, request, current, actor),
    isKnown: () => listRevisions(sql, instance, scenario).some((known) => known.sha256 === sha256),
  };
  const compared = decide(comparison);
  const isUnwritten = compared === 'kept' || compared === 'conflict';
  const reason = isUnwritten && request.prefer !== 'file' ? explain(sql, key, comparison, compared) : null;
  if (compared !== 'unchanged' && reason === null) writeRevision(runtime, sql, revision, undefined);
  const after = findScenario(sql, instance, scenario);
  const baseRevision = comparison.base?.revision ?? null;
  if (after?.sha256 === sha256) saveImport(sql, key, { revision: after.revision ?? 0, sha256 }, nowMs);
  // The base stays: a later change of the file is a conflict again, because it still lacks the catalogue's change.
  else if (request.prefer === 'catalogue') saveImport(sql, key, { revision: baseRevision ?? 0, sha256 }, nowMs);
  const written = current ? 'updated' : 'created';
  const unwritten = request.prefer === 'catalogue' ? 'kept' : compared;
  return {
    outcome: isUnwritten ? (reason === null ? written : unwritten) : compared,
    reason,
    base_revision: baseRevision,
    scenario: after ? toScenarioEntry(after) : null,
  };
}
