/** Runs of the packed binary against targets that break HTTP: their outcome, their time, and the memory that they cost. */
import type { Test } from 'tap';
import { findFailureCode } from '../executor/failure-code.ts';
import { measureSmallest } from '../smallest-measurement.ts';
import { hostileTargets } from '../targets/hostile/targets.ts';
import { openFreshExecutors } from './fresh-executors.ts';
import { startHostileTargets } from './hostile-peers.ts';
import type { Sandbox } from './sandbox.ts';
import { configText, scenarioText } from './test-environment.ts';

/** Of one target over what the process had before it. */
export const maxExecutorGrowthMiB = 64;
/**
 * Of a run with a limit of a second, as its report says: timers may end a millisecond early, and a busy machine ends it late, but not
 * three times.
 */
const silentMs = { min: 990, max: 5000 } as const;
/** Some of the targets are silent, and a busy machine takes its time. */
export const lifetimeMs = 1_200_000;

/** Those that begin before there is a request have no path by which to be chosen. */
export const chosenByRequest = hostileTargets.filter(({ begins }) => begins === 'request');

/** Executors whose runs reach all of the targets. */
export async function startHostileRunner(t: Test, sandbox: Sandbox) {
  const target = await startHostileTargets(t, chosenByRequest);
  const executors = await openFreshExecutors(sandbox, { configText: configText(target.url), lifetimeMs });
  const writeScenario = (id: string, path: string, timeout: string): Promise<unknown> =>
    executors.write(id, scenarioText(id).replace('/api/v2/document', path).replace('60s', timeout));
  await writeScenario('RT-good', '/good', '60s');
  // The others have so much time that a busy machine is not taken for a silent target.
  for (const [index, { isSilent }] of chosenByRequest.entries())
    await writeScenario(`RT-${index}`, `/${index}`, isSilent ? '1s' : '300s');
  /** Gives the time of the run. */
  const runAgainst = async (index: number): Promise<number> => {
    const { name = '', outcome } = chosenByRequest[index] ?? {};
    const { report, observed_status } = await executors.run(`RT-${index}`);
    t.equal(typeof outcome === 'number' ? observed_status : findFailureCode(report?.failure), outcome, name);
    return report?.timings.total_ms ?? Number.NaN;
  };
  const meet = async (index: number): Promise<void> => {
    const { name, isSilent } = chosenByRequest[index] ?? {};
    const totalMs = isSilent ? await measureSmallest(silentMs.max, () => runAgainst(index)) : await runAgainst(index);
    if (isSilent) t.ok(totalMs >= silentMs.min && totalMs < silentMs.max, `${name}: ended after ${totalMs} ms`);
  };
  return { ...executors, meet };
}
