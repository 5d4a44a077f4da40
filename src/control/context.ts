import type { Random } from '../environment/random.ts';
import type { ControlStore } from '../store/control/control-store.ts';
import type { SteadyClock } from '../timing/steady-clock.ts';
import type { Keyring } from './keyring.ts';

export type ControlSettings = {
  /** How long a lease lasts without a heartbeat. */
  readonly leaseMs: number;
  /** How often an executor sends a heartbeat during a run. */
  readonly heartbeatMs: number;
  /** An executor that is not waiting for work counts as away after this time without a call. */
  readonly awayAfterMs: number;
  /** Bodies and reports are deleted when older. */
  readonly bodyMaxAgeMs: number;
  readonly reportMaxAgeMs: number;
  /** While they take more, bodies and then reports are deleted, oldest first. */
  readonly storedMaxBytes: number;
  /** The version shown as recommended. */
  readonly recommendedVersion: string;
};

/** Collaborators of the control plane's parts. */
export type ControlContext = {
  readonly store: ControlStore;
  readonly clock: SteadyClock;
  readonly random: Random;
  readonly settings: ControlSettings;
  readonly keyring: Keyring;
  /** Throws STORE_* when writes fail. */
  assertWritable(): Promise<void>;
  /** `listener` gets the time of each committed write. */
  onWritten(listener: (durationMs: number) => void): void;
};

const dayMs = 86_400_000;

/** The lease time outlives a restart of either side; the heartbeat interval bounds how long a cancel takes to arrive. */
export function defaultControlSettings(recommendedVersion: string): ControlSettings {
  return {
    leaseMs: 30_000,
    heartbeatMs: 1_000,
    awayAfterMs: 10_000,
    bodyMaxAgeMs: 14 * dayMs,
    reportMaxAgeMs: 90 * dayMs,
    storedMaxBytes: 4 * 1024 ** 3,
    recommendedVersion,
  };
}
