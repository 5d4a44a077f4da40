/** Failures and error lines of a span of time, grouped so that one look tells what is wrong. */
import type { Run } from '../../contract/api.ts';
import type { Report } from '../../report/report.ts';
import { counted, cut } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import type { AgentPorts } from '../ports.ts';
import type { ToolAnswer, ToolContext } from '../tool.ts';

/** Runs that are looked at, reports that are read for their log lines, and groups that are told. */
const most = { runs: 1000, reports: 20, groups: 12, slowest: 5, page: 200 } as const;

/** The summary of the last `sinceH` hours. */
export async function errorSummary(ports: AgentPorts, context: ToolContext, sinceH: number): Promise<ToolAnswer> {
  const since = new Date(ports.clock.nowMs() - sinceH * 3_600_000).toISOString();
  const { runs, complete } = await runsSince(ports, context, since);
  const failed = runs.filter(({ state }) => state === 'failed');
  const reports = await reportsOf(ports, context, failed.slice(0, most.reports));
  const failures = groups(failed, failureKey).slice(0, most.groups).map(failureFacts);
  const errors = groups(reports.flatMap(errorLines), ({ level, message }) => `${level ?? ''} ${message}`)
    .slice(0, most.groups)
    .map(({ items, first }) => ({ ...first, count: items.length }));
  const slowest = slowestOf(runs);
  const counts = { runs: runs.length, failed: failed.length, reports_read: reports.length, complete };
  return {
    text: summaryText({ sinceH, ...counts, failures, errors, slowest }),
    data: { since, ...counts, failures, errors, slowest },
  };
}

async function runsSince({ control }: AgentPorts, { instance, signal }: ToolContext, since: string) {
  const runs: Run[] = [];
  let cursor: string | undefined;
  do {
    const page = await control.runs.list({ instance, since, limit: most.page, cursor }, { signal });
    runs.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && runs.length < most.runs);
  return { runs, complete: cursor === undefined };
}

/** One after the other: the control plane serves runs too. */
async function reportsOf({ control }: AgentPorts, { signal }: ToolContext, failed: readonly Run[]): Promise<Report[]> {
  const reports: Report[] = [];
  for (const { run_id } of failed) {
    const { report } = await control.runs.get(run_id, { signal });
    if (report) reports.push(report);
  }
  return reports;
}

type Group<T> = { readonly items: readonly T[]; readonly first: T };

/** The largest group first. */
function groups<T>(items: readonly T[], keyOf: (item: T) => string): Group<T>[] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  const all = [...found.values()].flatMap((group) =>
    group[0] === undefined ? [] : [{ items: group, first: group[0] }],
  );
  return all.sort((a, b) => b.items.length - a.items.length);
}

function failureKey({ failure_kind, scenario_id, failure_summary, failure_message }: Run): string {
  return `${failure_kind} ${scenario_id} ${withoutNumbers(failure_summary ?? failure_message ?? '')}`;
}

function failureFacts({ items, first }: Group<Run>) {
  const { failure_kind, scenario_id, failure_summary, failure_message, run_id } = first;
  const example = cut(failure_summary ?? failure_message ?? '', 300);
  return { kind: failure_kind, scenario_id, count: items.length, example, newest_run_id: run_id };
}

function errorLines({ log, run_id }: Report) {
  const lines = log?.lines.filter(({ error }) => error) ?? [];
  return lines.map(({ text, level }) => ({
    level,
    message: withoutNumbers(messageOf(text)),
    example: cut(text, 300),
    run_id,
  }));
}

/** The message of a JSON line by its usual names, else the line. */
function messageOf(text: string): string {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== 'object' || line === null) return text;
    for (const name of ['msg', 'message', 'error']) {
      const value: unknown = Reflect.get(line, name);
      if (typeof value === 'string') return value;
    }
  } catch {
    return text;
  }
  return text;
}

/** Messages that differ in ids, times and counts alone are one. */
function withoutNumbers(text: string): string {
  const plain = text.slice(0, 300).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\btr-[\w-]+|\d+/gi, '#');
  return cut(plain, 200);
}

function slowestOf(runs: readonly Run[]) {
  const timed = runs.filter(({ duration_ms }) => duration_ms !== null);
  const sorted = timed.toSorted((a, b) => (b.duration_ms ?? 0) - (a.duration_ms ?? 0)).slice(0, most.slowest);
  return sorted.map(({ run_id, scenario_id, duration_ms, state }) => ({ run_id, scenario_id, state, duration_ms }));
}

type Told = {
  readonly sinceH: number;
  readonly runs: number;
  readonly failed: number;
  readonly reports_read: number;
  readonly complete: boolean;
  readonly failures: readonly ReturnType<typeof failureFacts>[];
  readonly errors: readonly (ReturnType<typeof errorLines>[number] & { readonly count: number })[];
  readonly slowest: ReturnType<typeof slowestOf>;
};

function summaryText({ sinceH, runs, failed, reports_read, complete, failures, errors, slowest }: Told): string {
  return linesOf(
    `Last ${counted(sinceH, 'hour')}: ${counted(runs, 'run')}${complete ? '' : ' looked at, the newest'}, ${failed} failed`,
    ...failures.map(({ count, kind, scenario_id, example, newest_run_id }) => {
      return `${count} × ${kind} ${scenario_id}: ${example} (newest ${newest_run_id})`;
    }),
    failed > 0 && errors.length === 0 && `No error lines in the logs of the ${reports_read} newest failed runs.`,
    errors.length > 0 && `Error lines in the logs of the ${reports_read} newest failed runs:`,
    ...errors.map(({ count, level, example, run_id }) => `${count} × [${level ?? '-'}] ${example} (run ${run_id})`),
    slowest.length > 0 && 'Slowest:',
    ...slowest.map(
      ({ run_id, scenario_id, duration_ms }) => `${Math.round(duration_ms ?? 0)} ms  ${scenario_id}  ${run_id}`,
    ),
    failed > 0 ? 'Next: product__get_run_report of a newest run.' : 'Nothing failed.',
  );
}
