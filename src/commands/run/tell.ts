/** What `vp run` writes to standard output: reports as they come and a summary, or one JSON document. */
import type { Run } from '../../contract/api.ts';
import { durationText } from '../../report/measures.ts';
import { outcomeOf } from '../../report/outcome.ts';
import { printableLine } from '../../report/printable.ts';
import type { Report } from '../../report/report.ts';
import { textReport, textSummary, unfinishedText } from '../../report/text.ts';
import { type Paint, paintFor } from '../../terminal/paint.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Flags, Invocation } from '../command.ts';
import type { Gathering } from './gathering.ts';

/** Tells of one invocation. */
export type Teller = {
  /** A run ended. */
  ended(report: Report): void;
  /** A run ended that has no report: cancelled in the queue, or so long ago that it has expired. */
  endedWithout(run: Run): void;
  /** All did, or nothing more is waited for. */
  finished(): Promise<void>;
};

/** Of a repetition this many failures are explained; the others are counted. */
const explained = 10;

/** JSON at the end, or text as it comes. */
export function tellerFor(
  gathering: Gathering,
  { json, logLevel, environment }: Pick<Invocation<Flags>, 'json' | 'logLevel' | 'environment'>,
  progress: Progress,
): Teller {
  const { streams, variables } = environment;
  const { stdout } = streams;
  if (json) {
    const finished = async (): Promise<void> => {
      const { runDocument } = await import('./document.ts');
      stdout.write(runDocument(gathering));
    };
    return { ended: () => {}, endedWithout: () => {}, finished };
  }
  const paint = paintFor(stdout, variables);
  const write = (text: string): void => progress.aside(() => stdout.write(text));
  let told = 0;
  return {
    ended(report) {
      const one = gathering.plan.sets === 1;
      if (!one && outcomeOf(report) === 'passed') return;
      told += 1;
      if (one || told <= explained) write(textReport(report, paint, gathering.sources.get(report.scenario.id)));
      else if (told === explained + 1) write(paint.faint('… more that did not pass are counted only\n'));
    },
    endedWithout({ scenario_id, run_id, state }) {
      write(`${paint.broken('-')} ${paint.strong(printableLine(scenario_id))}  ${state}  ${paint.faint(run_id)}\n`);
    },
    async finished() {
      const waiting = gathering.unfinished.slice(0, explained).map((run) => unfinishedText(run, paint));
      const more = gathering.unfinished.length - waiting.length;
      if (more > 0) waiting.push(paint.faint(`… and ${more} more\n`));
      write([...waiting, summaryOf(gathering, paint)].join(''));
      if (!gathering.problem) return;
      const { tellError } = await import('../tell-error.ts');
      tellError(gathering.problem, { json: false, debug: logLevel === 'debug' }, environment);
    },
  };
}

function summaryOf(gathering: Gathering, paint: Paint): string {
  if (gathering.plan.sets === 1) return textSummary(gathering.results, paint);
  const { latencies, elapsedMs } = gathering;
  const times = [
    ['p50', latencies.percentile(0.5)],
    ['p95', latencies.percentile(0.95)],
    ['p99', latencies.percentile(0.99)],
    ['slowest', latencies.slowestMs],
  ] as const;
  const facts = times.map(([name, ms]) => `${name} ${durationText(ms)}`);
  const rate = `${gathering.ratePerSecond.toLocaleString('en')} runs/s`;
  return `${countsText(gathering, paint)} in ${durationText(elapsedMs)}\n${[rate, ...facts].join(' · ')}\n`;
}

function countsText({ tally, unfinished }: Gathering, paint: Paint): string {
  const total = tally.total + unfinished.length;
  const counts = [
    [tally.passed, 'passed', paint.passed],
    [tally.failed, 'failed', paint.failed],
    [tally.broken, 'could not be judged', paint.broken],
    [tally.cancelled, 'cancelled', paint.broken],
    [unfinished.length, 'not finished', paint.broken],
  ] as const;
  const parts = counts.filter(([count]) => count > 0).map(([count, word, style]) => style(`${count} ${word}`));
  return `${paint.strong(`${total} runs`)}: ${parts.join(', ')}`;
}
