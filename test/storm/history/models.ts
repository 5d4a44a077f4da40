/**
 * What the control plane is to its callers, as sequential machines. Leases, returns and ends of runs are hidden steps: they
 * happen between a caller's operations.
 */
import { canTransition, isFinalState, type RunState, runStates } from '../../../src/run/state.ts';
import type { SequentialModel } from './linearizability.ts';

/** Requests with one idempotency key: the first decides which runs there are, all others get the same ones. */
export type KeyedRequestOutput = readonly string[];
type KeyedRequestState = readonly string[] | null;

export const idempotencyKeyModel: SequentialModel<KeyedRequestState, { readonly count: number }, KeyedRequestOutput> = {
  initial: null,
  step(state, { count }, output) {
    // Without a response, the request may be the first: then the others say which runs those are.
    if (output === undefined) return [state];
    if (output.length !== count) return [];
    if (state === null) return [output];
    return state.join() === output.join() ? [state] : [];
  },
  stateKey: (state) => state?.join() ?? '',
};

/** One run as read and cancelled. */
export type RunInput = { readonly kind: 'read' } | { readonly kind: 'cancel' };
/** `final` is the refusal to cancel a run that has ended. */
export type RunOutput = RunState | 'final';

/** Every state that a run can have reached from `state`, itself included. */
function listReachable(state: RunState): RunState[] {
  const reached = new Set([state]);
  for (const from of reached) for (const to of runStates) if (canTransition(from, to)) reached.add(to);
  return [...reached];
}

export const runModel: SequentialModel<RunState, RunInput, RunOutput> = {
  initial: 'queued',
  step(state, { kind }, output) {
    const reachable = listReachable(state);
    // A cancel without a response changes nothing that hidden steps could not: an executor may end the run as cancelled.
    if (output === undefined) return [state];
    if (kind === 'read') return reachable.filter((reached) => reached === output);
    if (output === 'final') return reachable.filter(isFinalState);
    // The response has the state after the cancel: a queued run ends, one in progress asks its executor.
    return output === 'queued' ? [] : reachable.filter((reached) => reached === output);
  },
  stateKey: (state) => state,
};

/** The queue of one instance. */
export type QueueInput =
  | { readonly kind: 'request'; readonly count: number }
  | { readonly kind: 'read'; readonly runId: string }
  /** `repeated`: it was sent more than once, and an earlier one may have had an effect. */
  | { readonly kind: 'cancel'; readonly runId: string; readonly repeated: boolean }
  | { readonly kind: 'status' };
export type QueueOutput =
  | { readonly runIds: readonly string[] }
  /** `ahead` is the number of runs before it, if it is queued. */
  | { readonly state: RunOutput; readonly ahead: number }
  | { readonly running: string | null; readonly queued: number };

/** `waiting` has the runs that have not ended, in the order of their ids; the first may be in progress. */
export type QueueState = { readonly waiting: readonly string[]; readonly lastId: string };

const without = (state: QueueState, runId: string): QueueState => ({
  ...state,
  waiting: state.waiting.filter((waiting) => waiting !== runId),
});

/** All before `runId` have ended: runs end in the order of their requests. */
const advanceTo = (state: QueueState, runId: string): QueueState => ({
  ...state,
  waiting: state.waiting.slice(state.waiting.indexOf(runId)),
});

/** The states in which a run that was requested can be found as `output` says. */
function observe(state: QueueState, runId: string, found: RunOutput, ahead: number): QueueState[] {
  const index = state.waiting.indexOf(runId);
  if (runId > state.lastId) return [];
  if (found === 'queued') {
    // Only runs ahead of it can have ended in the meantime, the oldest first.
    return index >= ahead ? [{ ...state, waiting: state.waiting.slice(index - ahead) }] : [];
  }
  if (found === 'in_progress') return index >= 0 ? [advanceTo(state, runId)] : [];
  if (index < 0) return [state];
  const ended = { ...state, waiting: state.waiting.slice(index + 1) };
  // A queued run that is cancelled leaves the queue wherever it stands.
  return found === 'cancelled' || found === 'final' ? [without(state, runId), ended] : [ended];
}

export const runQueueModel: SequentialModel<QueueState, QueueInput, QueueOutput> = {
  initial: { waiting: [], lastId: '' },
  step(state, input, output) {
    if (output === undefined) {
      // Requests are repeated until they are answered, so that only reads and cancels are without a response.
      return input.kind === 'cancel' ? [state, without(state, input.runId)] : [state];
    }
    if (input.kind === 'request') {
      if (!('runIds' in output) || output.runIds.length !== input.count) return [];
      const grows = [state.lastId, ...output.runIds].every((id, at, ids) => at === 0 || id > (ids[at - 1] ?? ''));
      return grows ? [{ waiting: [...state.waiting, ...output.runIds], lastId: output.runIds.at(-1) ?? '' }] : [];
    }
    if (input.kind === 'status') {
      if (!('running' in output)) return [];
      const { running, queued } = output;
      const from = running === null ? state.waiting.length - queued : state.waiting.indexOf(running);
      const waiting = from < 0 ? undefined : state.waiting.slice(from);
      return waiting?.length === queued + (running === null ? 0 : 1) ? [{ ...state, waiting }] : [];
    }
    if (!('state' in output)) return [];
    if (input.kind === 'read') return observe(state, input.runId, output.state, output.ahead);
    if (output.state === 'queued') return [];
    if (output.state === 'cancelled') return input.runId > state.lastId ? [] : [without(state, input.runId)];
    // It was refused because the run has ended; unless it was repeated, in the queue's order.
    if (output.state === 'final' && !input.repeated) return observe(state, input.runId, 'passed', 0);
    return observe(state, input.runId, output.state, 0);
  },
  stateKey: ({ waiting, lastId }) => `${lastId}:${waiting.join()}`,
};

/** One call through a hub, and the audit: once the call is answered, its row is there. */
export type AuditedCallInput = { readonly kind: 'call' } | { readonly kind: 'search' };
export type AuditedCallOutput = { readonly rows: number };

export const auditedCallModel: SequentialModel<number, AuditedCallInput, AuditedCallOutput> = {
  initial: 0,
  step(rows, { kind }, output) {
    if (kind === 'call') return output === undefined ? [rows, rows + 1] : [rows + 1];
    return output === undefined || output.rows === rows ? [rows] : [];
  },
  stateKey: String,
};
