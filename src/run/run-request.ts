import type { RunId } from './run-id.ts';

/** Where a run came from: the control plane's queue, one direct call to the executor, or `vp run --local`. */
export const runOrigins = ['queue', 'direct', 'local'] as const;
export type RunOrigin = (typeof runOrigins)[number];

/** Everything an executor needs to execute one run. */
export type RunRequest = {
  readonly runId: RunId;
  readonly correlationId: string;
  readonly instanceId: string;
  readonly scenarioId: string;
  /** Revision in the catalogue; null for a text that is not in it. */
  readonly revision: number | null;
  /** The text of the revision at the time of the request. */
  readonly scenarioText: string;
  readonly origin: RunOrigin;
  /** Also find out which changes of the evidence no check would detect (judge/prove). */
  readonly prove?: boolean | undefined;
  /** Milliseconds between request and lease. */
  readonly queuedMs: number;
};
