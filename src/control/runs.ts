/** Runs as people see them: requesting, waiting, cancelling, reading. */
import { createHash } from 'node:crypto';
import type { Run, RunDocument, RunsNew } from '../contract/api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Report } from '../report/report.ts';
import { epochMsOfRunId, runIdOf } from '../run/run-id.ts';
import { isFinal } from '../run/state.ts';
import { revisionOutside } from '../store/control/catalogue.ts';
import { findLateReport, findReport } from '../store/control/completion.ts';
import { askToCancel, cancelQueued, findRequestKey, insertRequestKey, insertRuns } from '../store/control/requests.ts';
import { findQueued, findRun, listRuns, type RunRow, textOfRun } from '../store/control/runs.ts';
import type { Sql } from '../store/sql.ts';
import { newRevision, requireScenario } from './catalogue.ts';
import type { Actor, PageQuery, RunFilter, Runs } from './control.ts';
import { requireInstance } from './instances.ts';
import { pageOf } from './page.ts';
import type { ControlParts } from './parts.ts';
import { readScenario } from './read-scenario.ts';
import { reportFrom } from './report-storage.ts';
import { wireRun } from './wire.ts';

function requireRun(sql: Sql, runId: string): RunRow {
  const row = findRun(sql, epochMsOfRunId(runId) ?? -1);
  if (row) return row;
  throw vpError('RUN_UNKNOWN', { run: runId });
}

type Entry = { readonly id: string } | { readonly revision: ReturnType<typeof newRevision> };

/** Reads texts before the transaction, so that a bad one refuses the whole request. */
async function readEntries(parts: ControlParts, instance: string, input: RunsNew, actor: Actor): Promise<Entry[]> {
  const row = await parts.context.store.database.read((sql) => requireInstance(sql, instance));
  const nowMs = parts.context.clock.nowMs();
  return input.scenarios.map((entry) =>
    'id' in entry ? entry : { revision: newRevision(instance, readScenario(entry.text, row), actor, nowMs) },
  );
}

function inputOf(sql: Sql, instance: string, entry: Entry) {
  if ('revision' in entry)
    return { scenario: entry.revision.scenario, revisionId: revisionOutside(sql, entry.revision) };
  return { scenario: entry.id, revisionId: requireScenario(sql, instance, entry.id).revision_id };
}

function digestOf(input: RunsNew): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}

/** Ids of the runs that the same key made before. */
function repeated(sql: Sql, instance: string, key: string, digest: string): number[] | undefined {
  const known = findRequestKey(sql, instance, key);
  if (!known) return undefined;
  if (known.digest !== digest) throw vpError('REQUEST_KEY_REUSED', {});
  const ids: unknown = JSON.parse(known.run_ids);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
}

/** Requests runs: all or none. */
async function request(
  parts: ControlParts,
  instance: string,
  input: RunsNew,
  actor: Actor,
  key?: string,
): Promise<Run[]> {
  const { store, clock, random } = parts.context;
  const entries = await readEntries(parts, instance, input, actor);
  const digest = key === undefined ? '' : digestOf(input);
  const { rows, made } = await store.database.write((sql) => {
    requireInstance(sql, instance);
    const before = key === undefined ? undefined : repeated(sql, instance, key, digest);
    if (before) return { rows: before.flatMap((id) => findRun(sql, id) ?? []), made: 0 };
    const inputs = entries.map((entry) => inputOf(sql, instance, entry));
    const prove = input.prove === true;
    const context = { instance, by: actor.name, nowMs: clock.nowMs(), prove, random: () => random.token(6) };
    const runIds = insertRuns(sql, store.counters, context, inputs);
    if (key !== undefined) insertRequestKey(sql, instance, { key, digest, runIds, nowMs: clock.nowMs() });
    return { rows: findQueued(sql, runIds), made: runIds.length };
  });
  parts.totals.requested(made);
  parts.queueWakes.wake(instance);
  return rows.map(wireRun);
}

function list(sql: Sql, filter: RunFilter, page: PageQuery) {
  if (filter.instance !== undefined) requireInstance(sql, filter.instance);
  const beforeId = page.cursor === undefined ? undefined : epochMsOfRunId(page.cursor);
  if (page.cursor !== undefined && beforeId === undefined) throw vpError('CURSOR_INVALID', {});
  const rows = listRuns(sql, { ...filter, beforeId, limit: page.limit + 1 });
  return pageOf(rows, page.limit, wireRun, (row) => runIdOf(row.id));
}

function documentOf(sql: Sql, runId: string): RunDocument {
  const row = requireRun(sql, runId);
  const stored = findReport(sql, row.id);
  const late = findLateReport(sql, row.id, row.instance_id, row.correlation_id);
  return {
    ...wireRun(row),
    report: stored ? reportFrom(stored) : null,
    late_report: late === undefined ? null : reportFrom({ report: late, body: null }),
    scenario_text: textOfRun(sql, row.id) ?? null,
    report_expired: row.report_expired === 1,
  };
}

async function wait(parts: ControlParts, runId: string, waitMs: number, signal?: AbortSignal): Promise<Run> {
  const { store, clock } = parts.context;
  const untilMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const waiting = parts.endWakes.wait(runId, untilMs - clock.monotonicMs(), signal);
    const row = await store.database
      .read((sql) => requireRun(sql, runId))
      .catch((error: unknown) => {
        waiting.stop();
        throw error;
      });
    const over = isFinal(row.state) || signal?.aborted === true || clock.monotonicMs() >= untilMs;
    if (over) waiting.stop();
    if (over) return wireRun(row);
    await waiting.done;
  }
}

async function cancel(parts: ControlParts, runId: string): Promise<Run> {
  const { store, clock } = parts.context;
  const { row, ended } = await store.database.write((sql) => {
    const before = requireRun(sql, runId);
    if (isFinal(before.state)) throw vpError('RUN_FINAL', { run: runId, state: before.state });
    const cancelled = cancelQueued(sql, store.counters, before.id, clock.nowMs());
    if (!cancelled) askToCancel(sql, store.counters, before.id);
    return { row: requireRun(sql, runId), ended: cancelled };
  });
  if (ended) parts.totals.ended('cancelled');
  if (ended) parts.endWakes.wake(runId);
  return wireRun(row);
}

function reportOf(sql: Sql, runId: string): Report {
  const document = documentOf(sql, runId);
  if (document.report) return document.report;
  const reason = document.report_expired ? 'it has expired' : `the run is ${document.state}`;
  throw vpError('REPORT_ABSENT', { run: runId, reason });
}

/** The runs of a control plane. */
export function runsOf(parts: ControlParts): Runs {
  const { database } = parts.context.store;
  return {
    request: (instance, input, actor, key) => request(parts, instance, input, actor, key),
    list: (filter, page) => database.read((sql) => list(sql, filter, page)),
    get: (runId) => database.read((sql) => documentOf(sql, runId)),
    wait: (runId, waitMs, signal) => wait(parts, runId, waitMs, signal),
    cancel: (runId) => cancel(parts, runId),
    report: (runId) => database.read((sql) => reportOf(sql, runId)),
    instanceOf: (runId) => database.read((sql) => requireRun(sql, runId).instance_id),
  };
}
