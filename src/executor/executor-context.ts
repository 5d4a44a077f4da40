/** Collaborators shared by the parts of one executor start. */
import type { ControlPort, HelloResponse } from '../contract/executor-api.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { VpError } from '../errors/vp-error.ts';
import { type ControlCaller, type ExecutorLog, isKeyRefused } from './control-plane/control-caller.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Runner } from './runs/runner.ts';

export type ExecutorContext = {
  readonly control: ControlPort;
  /** A kill ends both, and what the control plane has committed is on this machine's disk. */
  readonly isControlInProcess: boolean;
  readonly runner: Runner;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ExecutorLog;
  readonly controlCaller: ControlCaller;
  /** Of this start; undefined until the control plane has accepted it. */
  readonly getEpoch: () => number | undefined;
  /** Aborted by `stop`: no new work is accepted. */
  readonly stopping: AbortSignal;
  /** Aborted when the time for uploads after a stop is over: everything ends. */
  readonly hardStop: AbortSignal;
};

/** What the control plane returned to the `hello`. */
export type ExecutorSession = Pick<HelloResponse, 'epoch' | 'instance' | 'heartbeat_ms'>;

/** Limit of one attempt to hand in a report, which may be large. */
export const uploadTimeoutMs = 30_000;

const reportRefusalCodes: ReadonlySet<string> = new Set([
  'REPORT_MISMATCH',
  'RUN_UNKNOWN',
  'REQUEST_INVALID',
  'BODY_TOO_LARGE',
  'BODY_NOT_JSON',
]);

/** True when the control plane will not accept this executor, however often it registers. */
export function isExecutorRefused(error: unknown): error is VpError {
  if (isKeyRefused(error)) return true;
  return error instanceof VpError && (error.code === 'INSTANCE_UNKNOWN' || error.code === 'EXECUTOR_PROTOCOL_UNKNOWN');
}

/** True when the control plane will not accept this report, however often it is sent. */
export function isReportRefused(error: VpError): boolean {
  return reportRefusalCodes.has(error.code);
}
