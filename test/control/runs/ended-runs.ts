/** Writes runs that have ended, as a report of a run without a control plane does. */
import { toFailureOccurrence } from '../../../src/control/runs/failure-occurrence.ts';
import { loadCounters } from '../../../src/store/control/counters.ts';
import { saveUncataloguedRevision } from '../../../src/store/control/instances/catalogue.ts';
import { insertDirectRun } from '../../../src/store/control/runs/completion.ts';
import type { Database } from '../../../src/store/database.ts';
import { createScenarioText } from '../report-fixture.ts';

export type EndedRun = {
  readonly id: number;
  readonly scenario: string;
  readonly version: string | null;
  readonly isFailed: boolean;
  readonly durationMs: number;
};

function createFailure(scenario: string) {
  const check = { check: 'body has count equals 4', step: null, line: 19, outcome: '#', kind: 'body_mismatch' };
  return toFailureOccurrence({ scenario, ...check });
}

/** In one transaction, in the order in which they ended; `id` is the time of the request. */
export function insertEndedRuns(
  { write }: Pick<Database, 'write'>,
  instance: string,
  runs: readonly EndedRun[],
): Promise<void> {
  return write((sql) => {
    const counters = loadCounters(sql);
    for (const { id, scenario, version, isFailed, durationMs } of runs) {
      const text = createScenarioText(scenario);
      const entry = { instance, scenario, title: 'GET document', layer: 'HTTP', tags: ['http'], text };
      const revision = { ...entry, sha256: `of ${scenario}`, createdBy: 'ana', nowMs: id };
      insertDirectRun(sql, counters, {
        ...{ id, instance, scenario, revisionId: saveUncataloguedRevision(sql, revision), correlationId: `tr-${id}` },
        ...{ requestedAtMs: id, nowMs: id },
        completion: {
          ...{ state: isFailed ? 'failed' : 'passed', startedAtMs: id, finishedAtMs: id + Math.round(durationMs) },
          ...{ failureKind: isFailed ? 'body_mismatch' : null, failureMessage: isFailed ? 'no' : null },
          ...{ failureSummary: isFailed ? 'body has count equals 4: got 3' : null, observedStatus: 200 },
          ...{ assertionsEnforcedCount: 1, evidenceAssertionsCount: 0, durationMs, evidenceMs: null },
          ...{ targetProcess: null, targetVersion: version, quarantine: null },
          failure: isFailed ? createFailure(scenario) : null,
        },
      });
    }
  });
}
