/** What `vp run` writes to standard output: reports as runs end and a summary, or one JSON document. */

import type { FlagDefinitions, Invocation } from '../../command-line/command.ts';
import type { Run } from '../../contract/api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatDuration } from '../../report/measures.ts';
import { countUnfinished, getOutcome, quarantinedLabel } from '../../report/outcome.ts';
import type { Report } from '../../report/report.ts';
import { PrintedFailures } from '../../report/text/printed-failures.ts';
import { renderReport, renderSummary, renderUnfinishedRun } from '../../report/text/render-text.ts';
import { formatQuarantinedFailures } from '../../report/text/text-quarantine.ts';
import { outcomeLabels } from '../../run/state.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import type { Progress } from '../../terminal/progress.ts';
import { formatFailureList } from './failure-list.ts';
import type { RunCollector } from './run-collector.ts';

export type RunOutput = {
  onRunEnded(report: Report): void;
  /** For a run without a report: cancelled in the queue, or its report has expired. */
  onRunEndedWithoutReport(run: Run): void;
  /** Call it when all runs have ended, or no more are awaited. */
  onFinished(): Promise<void>;
};

/** With --repeat this many failures are printed in full; the others are counted. */
const maxExplained = 10;

export function createRunOutput(
  collector: RunCollector,
  { json, logLevel, environment }: Pick<Invocation<FlagDefinitions>, 'json' | 'logLevel' | 'environment'>,
  progress: Progress,
): RunOutput {
  const { streams, variables } = environment;
  const { stdout } = streams;
  if (json) {
    const onFinished = async (): Promise<void> => {
      const { formatRunDocument: runDocument } = await import('./run-document.ts');
      stdout.write(runDocument(collector));
    };
    return { onRunEnded: () => {}, onRunEndedWithoutReport: () => {}, onFinished };
  }
  const paint = paintFor(stdout, variables);
  const write = (text: string): void => progress.suspend(() => stdout.write(text));
  const printed = new PrintedFailures();
  let reportedCount = 0;
  let lineCount = 0;
  const writeReport = (text: string): void => {
    lineCount += text.split('\n').length - 1;
    write(text);
  };
  return {
    onRunEnded(report) {
      const isSingleSet = collector.plan.sets === 1;
      if (!isSingleSet && getOutcome(report) === 'passed') return;
      reportedCount += 1;
      if (isSingleSet || reportedCount <= maxExplained)
        writeReport(renderReport(report, paint, collector.sources.get(report.scenario.id), printed));
      else if (reportedCount === maxExplained + 1)
        write(paint.faint('… further runs that did not pass are only counted\n'));
    },
    onRunEndedWithoutReport({ scenario_id, run_id, state }) {
      write(`${paint.broken('-')} ${paint.strong(escapeUnsafeLine(scenario_id))}  ${state}  ${paint.faint(run_id)}\n`);
    },
    async onFinished() {
      const waiting = collector.unfinished.slice(0, maxExplained).map((run) => renderUnfinishedRun(run, paint));
      const more = collector.unfinished.length - waiting.length;
      if (more > 0) waiting.push(paint.faint(`… and ${more} more\n`));
      const repeated =
        collector.plan.sets === 1 && lineCount > maxScreenLines ? formatFailureList(collector.results, paint) : [];
      write(
        [
          ...repeated,
          ...waiting,
          formatSuite(collector, paint),
          formatSummary(collector, paint),
          formatStop(collector, paint),
        ].join(''),
      );
      if (!collector.problem) return;
      const { printError } = await import('../../command-line/print-error.ts');
      printError(collector.problem, { json: false, debug: logLevel === 'debug' }, environment);
    },
  };
}

/** After more lines than this, what did not pass is listed again above the summary, which is what people see. */
const maxScreenLines = 40;

/** The page of the suite: an address that stays. */
function formatSuite({ suite }: RunCollector, paint: TerminalPaint): string {
  return suite ? paint.faint(`suite ${suite.id} · ${suite.url}\n`) : '';
}

function formatStop({ stop, unfinished }: RunCollector, paint: TerminalPaint): string {
  if (!stop || unfinished.length === 0) return '';
  const count = unfinished.length === 1 ? '1 run was' : `${unfinished.length} runs were`;
  return paint.broken(`stopped by ${stop.flag}, because ${stop.reason}: ${count} left out\n`);
}

function formatSummary(collector: RunCollector, paint: TerminalPaint): string {
  if (collector.isEmptyShard) return 'nothing to run: the other shards have all scenarios\n';
  if (collector.plan.sets === 1) return renderSummary(collector.results, paint);
  const { latencies, elapsedMs } = collector;
  const times = [
    ['p50', latencies.percentile(0.5)],
    ['p95', latencies.percentile(0.95)],
    ['p99', latencies.percentile(0.99)],
    ['slowest', latencies.slowestMs],
  ] as const;
  const facts = times.map(([name, ms]) => `${name} ${formatDuration(ms)}`);
  const rate = `${collector.ratePerSecond.toLocaleString('en')} runs/s`;
  const quarantined = formatQuarantinedFailures([...collector.quarantinedIds]);
  return `${formatCounts(collector, paint)} in ${formatDuration(elapsedMs)}\n${quarantined}${[rate, ...facts].join(' · ')}\n`;
}

function formatCounts({ tally, unfinished }: RunCollector, paint: TerminalPaint): string {
  const total = tally.total + unfinished.length;
  const counts = [
    [tally.passed, 'passed', paint.passed],
    [tally.failed, 'failed', paint.failed],
    [tally.broken, outcomeLabels.broken, paint.broken],
    [tally.cancelled, 'cancelled', paint.broken],
    [tally.quarantined, quarantinedLabel, paint.broken],
  ] as const;
  const parts = [
    ...counts.filter(([count]) => count > 0).map(([count, word, style]) => style(`${count} ${word}`)),
    ...countUnfinished(unfinished).map(([count, label]) => paint.broken(`${count} ${label}`)),
  ];
  return `${paint.strong(`${total} runs`)}: ${parts.join(', ')}`;
}
