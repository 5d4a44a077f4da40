/**
 * A year of runs with a known truth: 40 scenarios, each six times a day, of 12 versions of the target. Versions bring three
 * kinds of regressions, which the next version takes back; some scenarios are flaky at known rates, and one slows down.
 */
import { hash } from 'node:crypto';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { toFailureOccurrence } from '../../../src/control/runs/failure-occurrence.ts';
import { type Counters, loadCounters } from '../../../src/store/control/counters.ts';
import { saveUncataloguedRevision } from '../../../src/store/control/instances/catalogue.ts';
import { insertDirectRun } from '../../../src/store/control/runs/completion.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { createScenarioText } from '../../control/report-fixture.ts';
import { createRandom } from '../../insight/random.ts';

export const dayMs = 86_400_000;
const runsPerDay = 6;
export const yearDays = 365;
export const versions: readonly string[] = Array.from({ length: 12 }, (_, index) => `2.${index}.0`);

const name = (index: number): string => `RT-${String(index).padStart(2, '0')}`;
export const scenarios: readonly string[] = Array.from({ length: 40 }, (_, index) => name(index));
/** The share of runs that fail, whatever the version. */
export const flakyRates: Readonly<Record<string, number>> = {
  [name(20)]: 0.03,
  [name(21)]: 0.05,
  [name(22)]: 0.05,
  [name(23)]: 0.1,
  [name(24)]: 0.1,
  [name(25)]: 0.2,
  [name(26)]: 0.3,
  [name(27)]: 0.5,
};
/** The version that brings it, by scenario: always false, half again as slow, false in a third of the runs. */
export const regressions = {
  failing: { [name(28)]: '2.2.0', [name(29)]: '2.5.0', [name(30)]: '2.8.0', [name(31)]: '2.11.0' },
  slower: { [name(32)]: '2.3.0', [name(33)]: '2.6.0', [name(34)]: '2.9.0' },
  intermittent: { [name(35)]: '2.4.0', [name(36)]: '2.7.0', [name(37)]: '2.10.0' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
/** Slower by 6% of its first duration on this day, and by as much again on each following one. */
export const drift = { scenario: name(38), fromDay: 250, share: 0.06, days: 30 } as const;
/** Neither flaky nor regressing nor drifting. */
export const stableScenarios: readonly string[] = [...scenarios.slice(0, 20), name(39)];

function findRegression(kind: keyof typeof regressions, scenario: string): string | undefined {
  return Object.entries(regressions[kind]).find(([id]) => id === scenario)?.[1];
}

/** Durations vary by about 5%. */
function createDuration(random: () => number, scenario: string, version: string, day: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const base = 40 + (Number(scenario.slice(3)) % 10) * 15;
  const slower = findRegression('slower', scenario) === version ? 1.5 : 1;
  const driftDays = scenario === drift.scenario ? Math.min(drift.days, Math.max(0, day - drift.fromDay + 1)) : 0;
  return base * slower * (1 + drift.share * driftDays) * Math.exp(0.05 * normal);
}

function getFailureRate(scenario: string, version: string): number {
  if (findRegression('failing', scenario) === version) return 1;
  if (findRegression('intermittent', scenario) === version) return 1 / 3;
  return flakyRates[scenario] ?? 0;
}

/** The failure that every failed run of a scenario has. */
function createFailure(scenario: string) {
  const check = { check: 'body has count equals 4', step: null, line: 19, outcome: '#', kind: 'body_mismatch' };
  return toFailureOccurrence({ scenario, ...check });
}

type RunOutline = {
  readonly instance: string;
  readonly scenario: string;
  readonly revisionId: number;
  readonly version: string;
  readonly id: number;
  readonly isFailed: boolean;
  readonly durationMs: number;
};

function insertRun(sql: Sql, counters: Counters, outline: RunOutline): void {
  const { instance, scenario, revisionId, version, id, isFailed, durationMs } = outline;
  insertDirectRun(sql, counters, {
    ...{ id, instance, scenario, revisionId, correlationId: `tr-${id}`, requestedAtMs: id, nowMs: id },
    completion: {
      ...{ state: isFailed ? 'failed' : 'passed', startedAtMs: id, finishedAtMs: id + Math.round(durationMs) },
      ...{ failureKind: isFailed ? 'body_mismatch' : null, failureMessage: isFailed ? 'no' : null },
      ...{ failureSummary: isFailed ? 'body has count equals 4: got 3' : null, observedStatus: 200 },
      ...{ assertionsEnforcedCount: 1, evidenceAssertionsCount: 0, durationMs, evidenceMs: null, targetProcess: null },
      ...{ targetVersion: version, failure: isFailed ? createFailure(scenario) : null, quarantine: null },
    },
  });
}

/** Writes the catalogue. The returned function writes the runs from where it stopped last until `day`. */
export async function startYear(
  control: OpenControl,
  instance: string,
  startMs: number,
  seed: number,
): Promise<(day: number) => Promise<void>> {
  const random = createRandom(seed);
  const toText = (scenario: string): string => createScenarioText(scenario, 'body has count equals 4');
  for (const id of scenarios) await control.catalogue.write(instance, id, { text: toText(id) }, { name: 'ana' });
  let nextDay = 0;
  return (untilDay) =>
    control.database.write((sql) => {
      const counters = loadCounters(sql);
      const revisionIds = scenarios.map((scenario) => {
        const text = toText(scenario);
        const entry = { instance, scenario, title: 'GET document', layer: 'HTTP', tags: ['http'], text };
        const stored = { ...entry, sha256: hash('sha256', text), createdBy: 'ana', nowMs: startMs };
        return saveUncataloguedRevision(sql, stored);
      });
      for (; nextDay < untilDay; nextDay += 1)
        for (let turn = 0; turn < runsPerDay; turn += 1)
          for (const [index, scenario] of scenarios.entries()) {
            const version = versions[Math.floor((nextDay / yearDays) * versions.length)] ?? '';
            insertRun(sql, counters, {
              ...{ instance, scenario, version, revisionId: revisionIds[index] ?? 0 },
              id: startMs + nextDay * dayMs + (turn * dayMs) / runsPerDay + index * 1000,
              isFailed: random() < getFailureRate(scenario, version),
              durationMs: createDuration(random, scenario, version, nextDay),
            });
          }
    });
}
