import type { ControlSettings } from './context.ts';

const dayMs = 86_400_000;

/** Defaults of {@link ControlSettings}. A lease outlives a restart of either side; a heartbeat also carries a cancel. */
export function defaultSettings(recommendedVersion: string): ControlSettings {
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
