/** What a storm must have left: every promise of docs/explanation/guarantees.md that its histories can show. */
import type { Run } from '../../src/contract/api.ts';
import { isFinalState } from '../../src/run/state.ts';
import { checkLinearizability, type Operation, type SequentialModel } from './history/linearizability.ts';
import {
  auditedCallModel,
  idempotencyKeyModel,
  type RunInput,
  type RunOutput,
  runModel,
  runQueueModel,
} from './history/models.ts';
import type { QueueOperation, StormRecord } from './storm-record.ts';

export type StormVerdict = {
  readonly problems: readonly string[];
  readonly acknowledged: number;
  /** Acknowledged runs that the history does not have. */
  readonly lost: number;
  /** Requests that reached the target, or the server of the hub, more than once. */
  readonly doubled: number;
  /** Acknowledged runs that have not ended. */
  readonly stuck: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly histories: number;
  readonly operations: number;
  readonly undecided: number;
};

function findRepeated(items: readonly string[]): string[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size === seen.add(item).size);
}

/** Reads and cancels of each run, from the histories of the instances. */
function splitByRun(histories: Iterable<readonly QueueOperation[]>): Map<string, Operation<RunInput, RunOutput>[]> {
  const runs = new Map<string, Operation<RunInput, RunOutput>[]>();
  for (const { input, output, ...interval } of [...histories].flat()) {
    if (input.kind !== 'read' && input.kind !== 'cancel') continue;
    const state = output && 'state' in output ? output.state : undefined;
    const operation = { input: { kind: input.kind }, output: state, ...interval };
    runs.set(input.runId, [...(runs.get(input.runId) ?? []), operation]);
  }
  return runs;
}

function formatOperation({ input, output, calledAtMs, returnedAtMs }: Operation<unknown, unknown>): string {
  return `  [${calledAtMs.toFixed(0)}, ${returnedAtMs.toFixed(0)}] ${JSON.stringify(input)} → ${JSON.stringify(output)}`;
}

class HistoryChecker {
  readonly problems: string[] = [];
  histories = 0;
  operations = 0;
  undecided = 0;

  check<State, Input, Output>(
    kind: string,
    model: SequentialModel<State, Input, Output>,
    histories: ReadonlyMap<string, readonly Operation<Input, Output>[]>,
  ): void {
    for (const [partition, history] of histories) {
      const { verdict, order, conflict, configurations } = checkLinearizability(model, history);
      this.histories += 1;
      this.operations += history.length;
      if (verdict === 'undecided') {
        this.undecided += 1;
        this.problems.push(`${kind} ${partition}: not decided after ${configurations} configurations`);
      }
      if (verdict !== 'not linearizable') continue;
      const last = order.slice(-8).map(formatOperation).join('\n');
      const next = conflict.slice(0, 12).map(formatOperation).join('\n');
      this.problems.push(
        `${kind} ${partition} is not linearizable. After\n${last}\nnone of these can be next:\n${next}`,
      );
    }
  }
}

/** Compares the runs that the control plane has at the end with what was acknowledged, reported and received. */
function compareRuns(record: StormRecord, runs: ReadonlyMap<string, Run>, lateReports: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const arrived = new Set(record.arrivals);
  const known = new Set([...runs.values()].map((run) => run.correlation_id));
  for (const [runId, { correlationId }] of record.acknowledged) {
    const run = runs.get(runId);
    if (!run) problems.push(`${runId} was acknowledged and is lost`);
    else if (run.correlation_id !== correlationId) problems.push(`${runId} has another correlation id`);
    else if (!isFinalState(run.state)) problems.push(`${runId} is stuck in ${run.state}`);
  }
  for (const run of runs.values()) {
    const { run_id: id, state, correlation_id: correlationId, failure_kind: failure } = run;
    if (!record.acknowledged.has(id)) problems.push(`${id} was never acknowledged to a caller that repeats`);
    if (state === 'passed' && !arrived.has(correlationId)) problems.push(`${id} passed and was never sent`);
    if (state === 'cancelled' && !record.cancelled.has(id)) problems.push(`${id} was cancelled by no caller`);
    if (state === 'failed' && failure !== 'executor_lost' && !arrived.has(correlationId))
      problems.push(`${id} failed with ${failure} and was never sent`);
    const reported = record.reports.get(id);
    if (reported !== undefined && state !== reported && !lateReports.has(id))
      problems.push(`${id}: the report ${reported} was acknowledged, and it is ${state} without a late report`);
  }
  for (const id of arrived) if (!known.has(id)) problems.push(`${id} reached the target and is no run`);
  for (const id of findRepeated(record.arrivals)) problems.push(`${id} reached the target twice`);
  return problems;
}

function compareCalls(record: StormRecord, auditRows: readonly string[]): string[] {
  const rows = new Map<string, number>();
  for (const row of auditRows) {
    const nonce = /nonce\W+([\w-]+)/.exec(row)?.[1];
    if (nonce !== undefined) rows.set(nonce, (rows.get(nonce) ?? 0) + 1);
  }
  const problems = findRepeated(record.upstreamCalls).map((nonce) => `${nonce} reached the server twice`);
  for (const [nonce, history] of record.calls) {
    const isAnswered = history.some(({ input, output }) => input.kind === 'call' && output !== undefined);
    const count = rows.get(nonce) ?? 0;
    if (isAnswered && count !== 1) problems.push(`${nonce} was answered and has ${count} rows`);
    if (count > 1) problems.push(`${nonce} has ${count} rows`);
  }
  return problems;
}

export type StormEnd = {
  readonly runs: ReadonlyMap<string, Run>;
  /** Ids of runs with a report that arrived after they had ended. */
  readonly lateReports: ReadonlySet<string>;
  readonly auditRows: readonly string[];
};

export function judgeStorm(record: StormRecord, { runs, lateReports, auditRows }: StormEnd): StormVerdict {
  const checker = new HistoryChecker();
  checker.check('instance', runQueueModel, record.queues);
  checker.check('run', runModel, splitByRun(record.queues.values()));
  checker.check('idempotency key', idempotencyKeyModel, record.keys);
  checker.check('call', auditedCallModel, record.calls);
  const outcomes: Record<string, number> = {};
  for (const { state, failure_kind: failure } of runs.values()) {
    const outcome = failure === null ? state : failure;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  const acknowledged = [...record.acknowledged.keys()];
  const isOpen = (id: string): boolean => {
    const run = runs.get(id);
    return run !== undefined && !isFinalState(run.state);
  };
  return {
    problems: [
      ...record.problems,
      ...compareRuns(record, runs, lateReports),
      ...compareCalls(record, auditRows),
      ...checker.problems,
    ],
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !runs.has(id)).length,
    doubled: findRepeated(record.arrivals).length + findRepeated(record.upstreamCalls).length,
    stuck: acknowledged.filter(isOpen).length,
    outcomes,
    histories: checker.histories,
    operations: checker.operations,
    undecided: checker.undecided,
  };
}
