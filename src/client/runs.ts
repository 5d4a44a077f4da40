import type { Run, RunDocument, RunsNew, RunsRequested } from '../contract/api.ts';
import type { FormatName } from '../report/formats.ts';
import type { Report } from '../report/report.ts';
import type { RunState } from '../run/state.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage, type Page, type PageWanted } from './call.ts';
import { defaultLimitMs, type Transport } from './transport.ts';

/** All conditions must hold; `since` and `until` are RFC 3339. */
export type RunsWanted = PageWanted & {
  readonly instance?: string | undefined;
  readonly scenario?: string | undefined;
  readonly states?: readonly RunState[] | undefined;
  /** False: only runs that failed without an answer to judge. */
  readonly judged?: boolean | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** Runs: asked for, read, cancelled. */
export type RunsClient = {
  /** With `idempotencyKey` it may be repeated when its answer was lost. */
  request(instance: string, input: RunsNew, more?: Giving & { idempotencyKey?: string }): Promise<readonly Run[]>;
  /** Newest first. */
  list(wanted?: RunsWanted, giving?: Giving): Promise<Page<Run>>;
  /** With `waitMs` (at most 60,000) as soon as it is final, at the latest after that time. */
  get(runId: string, more?: Giving & { waitMs?: number }): Promise<RunDocument>;
  cancel(runId: string, giving?: Giving): Promise<Run>;
  report(runId: string, giving?: Giving): Promise<Report>;
  /** Written by the control plane, as one page or file. */
  reportAs(runId: string, format: FormatName, giving?: Giving): Promise<string>;
};

/** The calls for runs. */
export function runsOf({ json, text }: Transport): RunsClient {
  const isRun = objectWith<Run>('run_id', 'state');
  const isRequested = objectWith<RunsRequested>('runs');
  const isDocument = objectWith<RunDocument>('run_id', 'state', 'report');
  const isReport = objectWith<Report>('report_version', 'run_id', 'result');
  return {
    async request(instance, body, { idempotencyKey, signal } = {}) {
      const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const path = at('instances', instance, 'runs');
      return (await json({ method: 'POST', path, body, headers, signal }, isRequested)).runs;
    },
    list: ({ states, judged, ...wanted } = {}, giving) =>
      json(
        { method: 'GET', path: at('runs'), query: { ...wanted, state: states, judged: judged?.toString() }, ...giving },
        isPage<Run>(),
      ),
    get(runId, { waitMs = 0, signal } = {}) {
      const query = waitMs > 0 ? { wait_ms: Math.round(waitMs) } : {};
      const limitMs = waitMs + defaultLimitMs;
      return json({ method: 'GET', path: at('runs', runId), query, limitMs, signal }, isDocument);
    },
    cancel: (runId, giving) => json({ method: 'POST', path: at('runs', runId, 'cancel'), ...giving }, isRun),
    report: (runId, giving) => json({ method: 'GET', path: at('runs', runId, 'report'), ...giving }, isReport),
    reportAs: (runId, format, giving) =>
      text({ method: 'GET', path: at('runs', runId, 'report'), query: { format }, ...giving }),
  };
}
