import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import type { ControlStore } from '../store/control/open.ts';
import type { Keyring } from './keyring.ts';

/** What may be set by whoever starts a control plane; each has a default in settings.ts. */
export type ControlSettings = {
  /** How long an executor holds a run without a sign of life. */
  readonly leaseMs: number;
  /** How often it gives one while a run lasts. */
  readonly heartbeatMs: number;
  /** An executor that is not waiting for work and was not seen for this long is away. */
  readonly awayAfterMs: number;
  /** Bodies and reports are deleted when older. */
  readonly bodyMaxAgeMs: number;
  readonly reportMaxAgeMs: number;
  /** Bodies, then reports, are deleted, oldest first, while they take more. */
  readonly storedMaxBytes: number;
  /** The version shown as recommended. */
  readonly recommendedVersion: string;
};

/** What every part of the control plane works with. */
export type ControlContext = {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: ControlSettings;
  readonly keyring: Keyring;
};
