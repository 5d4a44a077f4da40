import { getOutcome, tallyOutcomes } from './outcome.ts';
import type { RunResults } from './results.ts';

/**
 * All reports as one JSON document (RFC 8259) with a summary first. Reports are in their wire form, each with its `outcome`
 * and, where it is known, the `file` of its scenario.
 */
export function renderJson({ reports, unfinished, startedAtMs, finishedAtMs, version, sources }: RunResults): string {
  const { total, ...counts } = tallyOutcomes(reports);
  const document = {
    results_version: 1,
    vp_version: version,
    started_at: new Date(startedAtMs).toISOString(),
    finished_at: new Date(finishedAtMs).toISOString(),
    summary: { total: total + unfinished.length, ...counts, unfinished: unfinished.length },
    runs: toRunEntries({ reports, sources }),
    unfinished: toUnfinishedEntries(unfinished),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

export function toRunEntries({ reports, sources }: Pick<RunResults, 'reports' | 'sources'>): object[] {
  return reports.map((report) => ({
    outcome: getOutcome(report),
    file: sources.get(report.scenario.id)?.file ?? null,
    ...report,
  }));
}

export function toUnfinishedEntries(unfinished: RunResults['unfinished']): object[] {
  return unfinished.map(({ scenarioId, instance, runId, state, hint }) => ({
    scenario_id: scenarioId,
    instance,
    run_id: runId ?? null,
    state,
    hint,
  }));
}
