/** The runs that one invocation has requested from a control plane: requesting, taking back, and listing those without an end. */
import type { Client } from '../../client/client.ts';
import { isConnectionRefused } from '../../client/transport/network-error.ts';
import { requestBackoff } from '../../client/transport/pause.ts';
import { isTransientError } from '../../client/transport/transient-error.ts';
import type { CreateRunsRequest, Run } from '../../contract/api.ts';
import type { NewSuite } from '../../contract/suites-api.ts';
import type { UnfinishedRun } from '../../report/results.ts';
import { retry } from '../../timing/retry.ts';
import { formatControlPlaneFlag } from '../control-plane/control-plane-client.ts';
import { explainUnfinishedRun, type RunSession } from './run-session.ts';
import { type RequestedScenario, splitIntoRequests } from './select-catalogue.ts';

/**
 * `runs` are those requested so far; `ended` and `cancelled` are positions in it: of runs whose result is collected, and of
 * runs that were taken back before they started. `unconfirmedCount` is how many were in a request whose response was not
 * awaited any longer.
 */
export type QueuedBatch = {
  readonly client: Client;
  readonly instance: string;
  readonly session: RunSession;
  readonly runs: Run[];
  readonly ended: Set<number>;
  readonly cancelled: Set<number>;
  unconfirmedCount: number;
  /** Of the suite that the first request starts; `false` for none, undefined where the default is meant. */
  readonly suite: NewSuite | false | undefined;
  /** The suite that all requests join. */
  suiteId: string | undefined;
  /** Of the first run in the results; more than 0 where a selection runs again and again. */
  readonly firstPosition: number;
};

/** Adds to `runs` after each request, so that the requested runs are known even after an error. */
export async function requestRuns(batch: QueuedBatch, requested: readonly RequestedScenario[]): Promise<void> {
  const { signal } = batch.session;
  for (const scenarios of splitIntoRequests(requested, countSets(batch))) {
    if (signal.aborted) return;
    batch.unconfirmedCount = scenarios.length;
    const runs = await request(batch, scenarios);
    batch.runs.push(...runs);
    batch.suiteId ??= runs[0]?.suite;
    batch.unconfirmedCount = 0;
  }
}

/** How often a batch has each scenario. */
function countSets({ session: { collector } }: QueuedBatch): number {
  return collector.plan.untilFail ? 1 : collector.plan.sets;
}

/** Requests runs again, in the place of those at `positions`, whose results no longer count. */
export async function retryRuns(
  batch: QueuedBatch,
  requested: readonly RequestedScenario[],
  positions: readonly number[],
): Promise<void> {
  const { session, runs, ended } = batch;
  const scenarios = positions.flatMap((position) => requested[position % requested.length] ?? []);
  let next = 0;
  for (const part of splitIntoRequests(scenarios, 1)) {
    if (session.signal.aborted) return;
    for (const run of await request(batch, part, true)) {
      const position = positions[next];
      next += 1;
      if (position === undefined) return;
      runs[position] = run;
      ended.delete(position);
      session.collector.retry(position);
    }
  }
}

const maxAttempts = 8;
/** After an interrupt, the response with the run ids is still awaited for this long. */
const interruptGraceMs = 2000;

/** Retried with the same idempotency key if the response was lost, so that nothing is requested twice. */
async function request(
  { client, instance, session, runs, suite, suiteId }: QueuedBatch,
  scenarios: CreateRunsRequest['scenarios'],
  isRetry = false,
): Promise<readonly Run[]> {
  const { signal, environment, collector } = session;
  const { prove, targetVersion } = collector.plan;
  const body: CreateRunsRequest = {
    scenarios,
    ...(prove ? { prove } : {}),
    ...(targetVersion === undefined ? {} : { target_version: targetVersion }),
    ...(suiteId === undefined
      ? suite === undefined
        ? {}
        : { suite }
      : { suite_id: suiteId, ...(isRetry ? { retry: true } : {}) }),
  };
  const idempotencyKey = environment.random.token(16);
  const requestController = new AbortController();
  const abortLater = (): void => void environment.clock.after(interruptGraceMs, () => requestController.abort());
  signal.addEventListener('abort', abortLater);
  try {
    const options = {
      backoff: requestBackoff,
      shouldRetry(error: unknown, failures: number) {
        // Where nothing listens, retrying is pointless before anything was requested.
        const isPermanent = !isTransientError(error) || (runs.length === 0 && isConnectionRefused(error));
        return !isPermanent && !signal.aborted && failures < maxAttempts;
      },
      pause: (delayMs: number) => client.pause(delayMs, signal),
    };
    const callOptions = { idempotencyKey, signal: requestController.signal };
    return await retry(options, () => client.runs.request(instance, body, callOptions));
  } finally {
    signal.removeEventListener('abort', abortLater);
  }
}

const parallelCancels = 8;

/** Cancels all runs that have not ended, the last in the queue first; those in progress get a request to stop. */
export async function cancelRemaining(batch: QueuedBatch): Promise<void> {
  const { client, runs, cancelled } = batch;
  const positions = listOpenRuns(batch);
  const cancelNext = async (): Promise<void> => {
    for (let position = positions.pop(); position !== undefined; position = positions.pop()) {
      const run = runs[position];
      // A run that ended meanwhile is refused, and its result is read as usual.
      const answer = run && (await client.runs.cancel(run.run_id).catch(() => undefined));
      if (!answer) continue;
      runs[position] = answer;
      if (answer.state === 'cancelled') cancelled.add(position);
    }
  };
  await Promise.all(Array.from({ length: parallelCancels }, cancelNext));
}

/** Positions of the runs that have neither ended nor been taken back. */
export function listOpenRuns({ runs, ended, cancelled }: QueuedBatch): number[] {
  return [...runs.keys()].filter((position) => !ended.has(position) && !cancelled.has(position));
}

export function listUnfinishedRuns(batch: QueuedBatch, requested: readonly RequestedScenario[]): UnfinishedRun[] {
  const { runs, ended, session } = batch;
  if (runs.length === 0 && !session.signal.aborted) return [];
  const withoutEnd = [...runs.entries()].filter(([position]) => !ended.has(position));
  return [
    ...withoutEnd.map(([position, run]) => toUnfinished(run, batch.cancelled.has(position), batch)),
    ...listNotRequested(batch, requested),
  ];
}

function toUnfinished(run: Run, isCancelled: boolean, { client, instance, session }: QueuedBatch): UnfinishedRun {
  const { scenario_id: scenarioId, run_id: runId, state, cancel_requested: isStopping } = run;
  const common = { scenarioId, instance, runId };
  if (isCancelled) return { ...common, state: 'cancelled', ...explainUnfinishedRun(session.collector.stop) };
  const lookup = `see it with \`vp runs show ${runId}${formatControlPlaneFlag(client)}\``;
  const hint = isStopping ? `asked to stop; ${lookup}` : lookup;
  return { ...common, state: state === 'in_progress' ? state : 'queued', hint };
}

function listNotRequested(batch: QueuedBatch, requested: readonly RequestedScenario[]): UnfinishedRun[] {
  const { client, instance, runs, unconfirmedCount, session } = batch;
  const { collector } = session;
  const count = countSets(batch) * requested.length - runs.length;
  const maybe = `it may have been requested: see \`vp runs${formatControlPlaneFlag(client)}\``;
  return Array.from({ length: count }, (_, index) => ({
    scenarioId: requested[(runs.length + index) % requested.length]?.id ?? '',
    instance,
    runId: undefined,
    state: 'not_requested' as const,
    ...(index < unconfirmedCount ? { hint: maybe } : explainUnfinishedRun(collector.stop)),
  }));
}
