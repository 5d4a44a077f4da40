/** What a request asks to run: scenarios of the catalogue, and texts. */
import type { CreateRunsRequest } from '../../contract/api.ts';
import {
  findScenario,
  type RevisionDocument,
  saveUncataloguedRevision,
} from '../../store/control/instances/catalogue.ts';
import { findRequestKey, type NewQueuedRun } from '../../store/control/runs/run-requests.ts';
import type { Sql } from '../../store/sql.ts';
import { readScenario } from '../catalogue/read-scenario.ts';
import { requireScenario, toNewRevision } from '../catalogue/revisions.ts';
import type { Actor } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';

export type RunEntry = { readonly id: string } | { readonly revision: ReturnType<typeof toNewRevision> };

/** Parses texts before the transaction, so that an invalid one refuses the whole request. */
export async function readEntries(
  runtime: ControlRuntime,
  instance: string,
  input: CreateRunsRequest,
  actor: Actor,
): Promise<RunEntry[]> {
  if (input.scenarios.every((entry) => 'id' in entry)) return input.scenarios;
  const row = await runtime.context.store.database.read((sql) => requireInstance(sql, instance));
  const nowMs = runtime.context.clock.nowMs();
  return input.scenarios.map((entry) =>
    'id' in entry ? entry : { revision: toNewRevision(instance, readScenario(entry.text, row), actor, nowMs) },
  );
}

/** `document` is known of revisions of the catalogue. */
export type RequestedRun = NewQueuedRun & { readonly document?: RevisionDocument };

/** A text that the catalogue has is a run of that revision. */
function toNewRun(sql: Sql, instance: string, entry: RunEntry): RequestedRun {
  if ('revision' in entry) {
    const { scenario, sha256 } = entry.revision;
    const current = findScenario(sql, instance, scenario);
    if (current?.sha256 === sha256) return { scenario, revisionId: current.revision_id, document: current };
    return { scenario, revisionId: saveUncataloguedRevision(sql, entry.revision) };
  }
  const document = requireScenario(sql, instance, entry.id);
  return { scenario: document.scenario_id, revisionId: document.revision_id, document };
}

/** Many runs of one scenario look it up once. */
export function toNewRuns(sql: Sql, instance: string, entries: readonly RunEntry[]): RequestedRun[] {
  const scenarios = new Map<string, RequestedRun>();
  return entries.map((entry) => {
    if ('revision' in entry) return toNewRun(sql, instance, entry);
    const known = scenarios.get(entry.id) ?? toNewRun(sql, instance, entry);
    scenarios.set(entry.id, known);
    return known;
  });
}

/** More scenarios are looked up one after another. */
const maxAnnounced = 32;

/** Reads that follow share a round trip. */
export function announceRequest(
  sql: Sql,
  instance: string,
  entries: readonly RunEntry[],
  key: string | undefined,
): void {
  if (key !== undefined) sql.ahead((sql) => findRequestKey(sql, instance, key));
  const ids = new Set(entries.flatMap((entry) => ('id' in entry ? [entry.id] : [])));
  for (const id of [...ids].slice(0, maxAnnounced)) sql.ahead((sql) => findScenario(sql, instance, id));
}
