import type { Run } from '../../contract/api.ts';
import type { CreateSuiteRequest, RerunSuiteRequest, Suite } from '../../contract/suites-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { computeMedians, divideIntoShards } from '../../insight/shard-plan.ts';
import { formatRunId, formatSuiteId, parseSuiteId } from '../../run/run-id.ts';
import { isFinalState } from '../../run/state.ts';
import { insertRuns } from '../../store/control/runs/run-requests.ts';
import { findQueuedRuns, findRunText } from '../../store/control/runs/runs.ts';
import {
  findSuiteByKey,
  listCurrentSuiteRuns,
  listRunDurations,
  listSuites,
  type SuiteRow,
} from '../../store/control/suites/suites.ts';
import type { Sql } from '../../store/sql.ts';
import { requireScenario } from '../catalogue/revisions.ts';
import type { Actor, PageQuery, ResultPage } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import { queueAndOffer } from '../leases/queue-and-offer.ts';
import type { ControlRuntime } from '../runtime.ts';
import { parsePageCursor, toPage, toRun, toSuiteSource } from '../wire.ts';
import { toSuiteDocument, toSuites } from './suite-documents.ts';
import { requireSuite, startSuite } from './suite-requests.ts';
import { readSuiteResults } from './suite-results.ts';
import type { SuiteListFilter, SuitesService } from './suites-service.ts';

function listSuitePage(sql: Sql, filter: SuiteListFilter, page: PageQuery): ResultPage<Suite> {
  requireInstance(sql, filter.instance);
  const beforeId = parsePageCursor(page, parseSuiteId);
  const rows = listSuites(sql, { ...filter, beforeId, limit: page.limit + 1 });
  const { items, next_cursor } = toPage(
    rows,
    page.limit,
    (row) => row,
    ({ id }) => formatSuiteId(id),
  );
  return { items: toSuites(sql, items), next_cursor };
}

/** The durations of shards are those of about the last thousand runs, however many there are. */
const maxDurations = 5000;

/** The plan is stored: later runs, which jobs of the same pipeline cause, do not change it. */
async function createSuite(
  { context }: ControlRuntime,
  instance: string,
  input: CreateSuiteRequest,
  actor: Actor,
): Promise<Suite> {
  const { store, clock } = context;
  const durations = await store.database.read((sql) => {
    requireInstance(sql, instance);
    return listRunDurations(sql, instance, maxDurations);
  });
  const medians = computeMedians(
    durations.map((row) => ({ scenario: row.scenario_id, ms: row.finished_at_ms - row.started_at_ms })),
  );
  const plan = divideIntoShards(input.scenarios, input.shards, medians);
  const requested_at_ms = clock.nowMs();
  return store.database.write((sql) => {
    requireInstance(sql, instance);
    const known = findSuiteByKey(sql, instance, input.key);
    if (known) return toKnownSuite(sql, known, input);
    const origin = { instance_id: instance, requested_by: actor.name, requested_at_ms };
    const { name, source, scenarios, key } = input;
    const row = startSuite(
      store,
      sql,
      { ...origin, target_version: input.target_version ?? null },
      { name, source, expected_runs: scenarios.length },
      { key, plan: JSON.stringify(plan) },
    );
    return toSuiteDocument(sql, row);
  });
}

function toKnownSuite(sql: Sql, row: SuiteRow, { key, shards }: CreateSuiteRequest): Suite {
  const suite = toSuiteDocument(sql, row);
  const known = suite.shards?.length ?? 0;
  if (known !== shards) throw vpError('SUITE_KEY_DIFFERS', { key, known, requested: shards });
  return suite;
}

/** A text that is not in the catalogue runs again as it was; a scenario of it as it is now. */
function selectAgain(sql: Sql, suite: SuiteRow, only: RerunSuiteRequest['only']) {
  const current = listCurrentSuiteRuns(sql, suite.id);
  const hasFailed = ({ state, in_quarantine: isQuarantined }: (typeof current)[number]): boolean =>
    isFinalState(state) && state !== 'passed' && !(state === 'failed' && isQuarantined === 1);
  const selected = current.filter((run) => only === 'all' || hasFailed(run));
  const suiteId = formatSuiteId(suite.id);
  const fail = (reason: string) => vpError('SUITE_NOTHING_TO_RERUN', { suite: suiteId, reason });
  if (selected.length === 0)
    throw fail(
      current.some(({ state }) => !isFinalState(state))
        ? 'no run has failed so far'
        : 'every run passed, or failed in quarantine',
    );
  return selected.map(({ id, scenario_id: scenario, revision, revision_id: revisionId }) => {
    if (revision !== null) {
      const present = requireScenario(sql, suite.instance_id, scenario);
      return { scenario: present.scenario_id, revisionId: present.revision_id };
    }
    if (findRunText(sql, id) === undefined) throw fail(`the text of ${scenario} is not stored any more`);
    return { scenario, revisionId };
  });
}

async function rerunSuite(
  runtime: ControlRuntime,
  instance: string,
  suiteId: string,
  { only }: RerunSuiteRequest,
  actor: Actor,
): Promise<{ suite: Suite; runs: Run[] }> {
  const { store, clock, random } = runtime.context;
  const nowMs = clock.nowMs();
  const result = await queueAndOffer(runtime, instance, (sql) => {
    requireInstance(sql, instance);
    const earlier = requireSuite(sql, instance, suiteId);
    const runs = selectAgain(sql, earlier, only);
    const { target_version: targetVersion } = earlier;
    const suite = startSuite(
      store,
      sql,
      { instance_id: instance, requested_by: actor.name, requested_at_ms: nowMs, target_version: targetVersion },
      {
        ...(earlier.name === null ? {} : { name: earlier.name }),
        source: toSuiteSource(earlier),
        expected_runs: runs.length,
      },
      { rerun_of: earlier.id },
    );
    const context = { instance, requestedBy: actor.name, nowMs, prove: false, targetVersion, suite: suite.id };
    const queued = insertRuns(sql, store.counters, { ...context, random: () => random.token(6) }, runs);
    const rows = findQueuedRuns(
      sql,
      queued.map(({ id }) => id),
    );
    return { value: { suite: toSuiteDocument(sql, suite), runs: rows.map(toRun) } };
  });
  runtime.totals.recordRequested(result.runs.length);
  return result;
}

export function createSuitesService(runtime: ControlRuntime): SuitesService {
  const { database } = runtime.context.store;
  return {
    list: (filter, page) => database.read((sql) => listSuitePage(sql, filter, page)),
    get: (instance, suite) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        return toSuiteDocument(sql, requireSuite(sql, instance, suite));
      }),
    create: (instance, input, actor) => createSuite(runtime, instance, input, actor),
    rerun: (instance, suite, input, actor) => rerunSuite(runtime, instance, suite, input, actor),
    hasTexts: (instance, suite) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        const runs = listCurrentSuiteRuns(sql, requireSuite(sql, instance, suite).id);
        return runs.some(({ revision }) => revision === null);
      }),
    listOpenRunIds: (instance, suite) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        const runs = listCurrentSuiteRuns(sql, requireSuite(sql, instance, suite).id);
        return runs.filter(({ state }) => !isFinalState(state)).map(({ id }) => formatRunId(id));
      }),
    readResults: (instance, suite) => readSuiteResults(runtime.context, instance, suite),
  };
}
