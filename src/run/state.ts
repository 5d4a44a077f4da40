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
