/** How far the result of a scenario, or of a check, can be relied on. */

/** A judged run or check; `version` is that of the target, `text` the revision of the scenario. */
export type JudgedResult = { readonly passed: boolean; readonly version: string | null; readonly text: number };

/** `health`: pass rate × (1 − flip rate). Null without a judged result. */
export type Health = {
  readonly passed: number;
  readonly failed: number;
  readonly passRate: number | null;
  readonly flipRate: number | null;
  readonly health: number | null;
};

/** Without a version, that many changes of the result are flaky: one is a regression, and two are a regression and its fix. */
export const minUnversionedFlips = 3;

function countFlips(results: readonly Pick<JudgedResult, 'passed'>[]): number {
  return results.filter(({ passed }, index) => index > 0 && passed !== results[index - 1]?.passed).length;
}

/** `results` are in the order of time, in either direction. */
export function computeHealth(results: readonly Pick<JudgedResult, 'passed'>[]): Health {
  const passed = results.filter((result) => result.passed).length;
  const failed = results.length - passed;
  if (results.length === 0) return { passed, failed, passRate: null, flipRate: null, health: null };
  const passRate = passed / results.length;
  const flipRate = results.length === 1 ? 0 : countFlips(results) / (results.length - 1);
  return { passed, failed, passRate, flipRate, health: passRate * (1 - flipRate) };
}

/** `version` is null where it is not known. */
export type Flakiness = { readonly version: string | null };

/**
 * Flaky: one version of the target and one revision of the scenario both passed and failed. Of several such versions, the one
 * that comes first in `results` is named.
 */
export function findFlakiness(results: readonly JudgedResult[]): Flakiness | undefined {
  const groups = Map.groupBy(results, ({ version, text }) => (version === null ? text : `${text} ${version}`));
  for (const group of groups.values()) {
    const version = group[0]?.version ?? null;
    const flips = countFlips(group);
    if (flips >= (version === null ? minUnversionedFlips : 1)) return { version };
  }
  return undefined;
}
