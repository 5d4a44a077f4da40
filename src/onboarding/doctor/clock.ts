import { fine, problem, skipped } from '../preflight/check.ts';
import type { DoctorCheck } from './context.ts';

/** Leases count on clocks that only go on, so a difference breaks nothing; but times of runs and lines no longer fit. */
const mostSkewMs = 30_000;

/** This machine's clock against the control plane's, which tells its own in whole seconds. */
export const clockCheck: DoctorCheck = {
  id: 'clock',
  title: 'clock',
  async look({ found: { clocks } }) {
    if (!clocks) return skipped('not compared: the control plane did not say');
    const skewMs = clocks.ours - clocks.theirs;
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    if (Math.abs(skewMs) <= mostSkewMs) return fine(`within ${Math.max(1, seconds)} s of the control plane’s`);
    const values = { seconds, direction: skewMs > 0 ? 'ahead of' : 'behind' };
    return { facts: [], problems: [problem('CLOCK_SKEWED', values)] };
  },
};
