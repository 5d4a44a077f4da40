import { checkPassed, checkSkipped, createProblem } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** Leases use monotonic clocks, so that skew breaks nothing, but timestamps of runs and log lines no longer match. */
const maxSkewMs = 30_000;

/** Compares this machine's clock with the control plane's, whose resolution is a second. */
export const clockCheck: DoctorCheck = {
  id: 'clock',
  title: 'clock',
  async inspect({ state: { clocks } }) {
    if (!clocks) return checkSkipped('not compared: the control plane did not say');
    const skewMs = clocks.localMs - clocks.controlPlaneMs;
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    if (Math.abs(skewMs) <= maxSkewMs) return checkPassed(`within ${Math.max(1, seconds)} s of the control plane’s`);
    const values = { seconds, direction: skewMs > 0 ? 'ahead of' : 'behind' };
    return { facts: [], problems: [createProblem('CLOCK_SKEWED', values)] };
  },
};
