/**
 * The states of a run.
 *
 *     queued ──lease──► in_progress ──complete──► passed | failed
 *       │  ▲                │ │
 *       │  └──give back─────┘ └──cancel (executor stops) or lease lost──► cancelled | failed (executor_lost)
 *       └──cancel──► cancelled
 *
 * A run is given back only while it has not started, that is before its first byte left. At most one run of an instance is
 * in_progress. passed, failed and cancelled are final: the first one reached stands.
 */

/** A state, as stored and as told over the API. */
export const runStates = ['queued', 'in_progress', 'passed', 'failed', 'cancelled'] as const;
/** One of {@link runStates}. */
export type RunState = (typeof runStates)[number];

/** True when the run will never change again. */
export function isFinal(state: RunState): boolean {
  return state !== 'queued' && state !== 'in_progress';
}

const allowed: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['in_progress', 'cancelled'],
  in_progress: ['queued', 'passed', 'failed', 'cancelled'],
  passed: [],
  failed: [],
  cancelled: [],
};

/** True when the drawing above has an arrow from `from` to `to`. */
export function mayBecome(from: RunState, to: RunState): boolean {
  return allowed[from].includes(to);
}
