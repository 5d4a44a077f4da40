import type { ComparedScenario } from '../../src/contract/comparison-api.ts';

/** A scenario that passed on both sides, by default as fast. */
export function createComparedScenario(members: Partial<ComparedScenario>): ComparedScenario {
  const side = { passed: 30, failed: 0, not_judged: 0, newest_run: '20261127T000000000', failures: [] };
  return {
    ...{ scenario_id: 'RT-GET-items', change: 'unchanged', fails_more_often: false, speed: 'same', speed_p: 0.5 },
    ...{ median_speed: 'same', median_p: 0.5, new_failures: [], quarantined: false },
    base: { ...side, p50_ms: 38, p95_ms: 41 },
    head: { ...side, p50_ms: 39, p95_ms: 92 },
    ...members,
  };
}
