import { outcomeOf, tallyOf } from './outcome.ts';
import type { Results } from './results.ts';

/**
 * All reports as one JSON document (RFC 8259) with a summary first. Reports are in the wire form of `report.ts`, each with
 * its `outcome` and, where it is known, the `file` of its scenario.
 */
export function jsonResults({ reports, unfinished, startedAtMs, finishedAtMs, version, sources }: Results): string {
  const { total, ...counts } = tallyOf(reports);
  const document = {
    results_version: 1,
    vp_version: version,
    started_at: new Date(startedAtMs).toISOString(),
    finished_at: new Date(finishedAtMs).toISOString(),
    summary: { total: total + unfinished.length, ...counts, unfinished: unfinished.length },
    runs: runEntries({ reports, sources }),
    unfinished: unfinishedEntries(unfinished),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Reports as JSON documents list them. */
export function runEntries({ reports, sources }: Pick<Results, 'reports' | 'sources'>): object[] {
  return reports.map((report) => ({
    outcome: outcomeOf(report),
    file: sources.get(report.scenario.id)?.file ?? null,
    ...report,
  }));
}

/** Runs without an end as JSON documents list them. */
export function unfinishedEntries(unfinished: Results['unfinished']): object[] {
  return unfinished.map(({ scenarioId, instance, runId, state, hint }) => ({
    scenario_id: scenarioId,
    instance,
    run_id: runId ?? null,
    state,
    hint,
  }));
}
