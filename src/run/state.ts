/**
 * The states of a run.
 *
 *     queued ──lease──► in_progress ──complete──► passed | failed
 *       │  ▲                │ │
 *       │  └──give back─────┘ └──cancel (executor stops) or lease lost──► cancelled | failed (executor_lost)
 *       └──cancel──► cancelled
 *
 * A run is given back only before it has started, that is before its first byte was sent. At most one run of an instance is
 * in_progress. passed, failed and cancelled are final: the first one reached stands.
 */

/** As stored and as in the API. */
export const runStates = ['queued', 'in_progress', 'passed', 'failed', 'cancelled'] as const;
export type RunState = (typeof runStates)[number];

/** True when the state never changes again. */
export function isFinalState(state: RunState): boolean {
  return state !== 'queued' && state !== 'in_progress';
}

const transitions: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['in_progress', 'cancelled'],
  in_progress: ['queued', 'passed', 'failed', 'cancelled'],
  passed: [],
  failed: [],
  cancelled: [],
};

/** True when the diagram above has an arrow from `from` to `to`. */
export function canTransition(from: RunState, to: RunState): boolean {
  return transitions[from].includes(to);
}

/**
 * How a run ended, for people and exit codes. A run whose check was false is `failed`. One that could not be judged (a
 * timeout, an unreachable target, unavailable evidence, a lost executor) is `broken`: its state and result are `failed` too,
 * because the specification has no other, but nothing was found out about the application.
 */
export const runOutcomes = ['failed', 'broken', 'cancelled', 'passed'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

/** The words for outcomes, in every table, page and report. */
export const outcomeLabels: Readonly<Record<RunOutcome, string>> = {
  failed: 'failed',
  broken: 'could not be judged',
  cancelled: 'cancelled',
  passed: 'passed',
};

/** The words for runs that have not ended. */
export const pendingStateLabels = { queued: 'queued', in_progress: 'running' } as const satisfies Partial<
  Record<RunState, string>
>;

/** Failures of checks; with all other kinds there was nothing to judge. */
export const judgedFailureKinds: ReadonlySet<string> = new Set([
  'status_mismatch',
  'body_mismatch',
  'evidence_mismatch',
]);

/** Undefined for a run that has not ended. Failed runs of old stores without a kind count as judged. */
export function getRunOutcome(state: RunState, failureKind: string | null): RunOutcome | undefined {
  if (state === 'queued' || state === 'in_progress') return undefined;
  return state === 'failed' && failureKind !== null && !judgedFailureKinds.has(failureKind) ? 'broken' : state;
}

/** The state of a run in the words of reports and the console. */
export function describeRunState(state: RunState, failureKind: string | null): string {
  if (state === 'queued' || state === 'in_progress') return pendingStateLabels[state];
  return outcomeLabels[getRunOutcome(state, failureKind) ?? state];
}
