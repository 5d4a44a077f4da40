/** What the parts of one start share. */
import type { ControlPort, Welcome } from '../contract/executor-api.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { VpError } from '../errors/vp-error.ts';
import type { Runner } from './execute.ts';
import { type ExecutorLog, type Insistence, refusesKey } from './insistence.ts';
import type { Outbox } from './outbox.ts';

/** Tools and signals. */
export type ExecutorParts = {
  readonly control: ControlPort;
  readonly runner: Runner;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ExecutorLog;
  readonly insistence: Insistence;
  /** Aborted by `stop`: no new work. */
  readonly stopping: AbortSignal;
  /** Aborted when the time for uploads after a stop is over: everything ends. */
  readonly cut: AbortSignal;
};

/** What the control plane said to the greeting. */
export type Session = Pick<Welcome, 'epoch' | 'instance' | 'heartbeat_ms'>;

/** One attempt to hand in a report takes at most this long; it may be large. */
export const uploadLimitMs = 30_000;

const refusals: ReadonlySet<string> = new Set([
  'REPORT_MISMATCH',
  'RUN_UNKNOWN',
  'REQUEST_INVALID',
  'BODY_TOO_LARGE',
  'BODY_NOT_JSON',
]);

/** True when the control plane will not have this executor, however often it greets. */
export function refusesExecutor(error: unknown): error is VpError {
  if (refusesKey(error)) return true;
  return error instanceof VpError && (error.code === 'INSTANCE_UNKNOWN' || error.code === 'EXECUTOR_PROTOCOL_UNKNOWN');
}

/** True when the control plane will not take this report, however often it is sent. */
export function refusesReport(error: VpError): boolean {
  return refusals.has(error.code);
}
