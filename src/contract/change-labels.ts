import type { ComparedScenario, RunComparison } from './comparison-api.ts';

/** The words of changes, on the command line and in the console. */
export const changeLabels: Readonly<Record<ComparedScenario['change'], string>> = {
  newly_failing: 'newly failing',
  flaky: 'flaky',
  not_judged: 'could not be judged',
  failing_before: 'failing before',
  fixed: 'fixed',
  added: 'added',
  removed: 'removed',
  unchanged: 'unchanged',
};

/** A scenario that ran on head only, and failed whenever it was judged: as bad as a newly failing one. */
export function isFailingAddition({ change, head }: ComparedScenario): boolean {
  return change === 'added' && head !== null && head.failed > 0 && head.passed === 0;
}

/** `slower` and `faster` are those of the 95th percentile; where only the median changed, or the other way, its own words follow. */
export function listSpeedChanges({
  speed,
  median_speed: medianSpeed,
}: Pick<ComparedScenario, 'speed' | 'median_speed'>): string[] {
  const isChange = (change: ComparedScenario['speed']): boolean => change === 'slower' || change === 'faster';
  return [
    ...(isChange(speed) ? [speed] : []),
    ...(isChange(medianSpeed) && medianSpeed !== speed ? [`${medianSpeed} in the median`] : []),
  ];
}

/** `2 slower`, `1 faster`, `3 slower in the median only`; what is zero is omitted. */
export function listSpeedTotals({
  slower,
  faster,
  scenarios,
}: Pick<RunComparison, 'slower' | 'faster' | 'scenarios'>): [number, string][] {
  const countMedianOnly = (change: 'slower' | 'faster'): number =>
    scenarios.filter((scenario) => listSpeedChanges(scenario).includes(`${change} in the median`)).length;
  const all: [number, string][] = [
    [slower, 'slower'],
    [faster, 'faster'],
    [countMedianOnly('slower'), 'slower in the median only'],
    [countMedianOnly('faster'), 'faster in the median only'],
  ];
  return all.filter(([count]) => count > 0);
}
