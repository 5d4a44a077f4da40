import type {
  CancelQueuedRunsResponse,
  CreateRunsRequest,
  CreateRunsResponse,
  Run,
  RunDocument,
} from '../contract/api.ts';
import type { RunPage } from '../contract/run-search-api.ts';
import type { ScenarioResult } from '../contract/scenario-results-api.ts';
import type { Report } from '../report/report.ts';
import type { RunState } from '../run/state.ts';
import { apiPath, type CallOptions, createPageTypeGuard, type PageParams } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import { defaultTimeoutMs, type Transport } from './transport/transport.ts';

/** Conditions are combined with AND; `since` and `until` are RFC 3339. */
export type RunsFilter = PageParams & {
  readonly instance?: string | undefined;
  readonly scenario?: string | undefined;
  readonly suite?: string | undefined;
  readonly states?: readonly RunState[] | undefined;
  /** False: only runs that failed without a response to judge. */
  readonly judged?: boolean | undefined;
  /** False: only runs that no later one of their suite has replaced. */
  readonly replaced?: boolean | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
} & RunSearchFilter;

/** As in `RunSearchParameters`. */
export type RunSearchFilter = {
  readonly text?: readonly string[] | undefined;
  readonly path?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly owner?: string | undefined;
  readonly target_version?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly failure?: string | undefined;
  readonly schedule?: string | undefined;
};

export type RunsClient = {
  /** With `idempotencyKey` it may be repeated when the response was lost. */
  request(
    instance: string,
    input: CreateRunsRequest,
    options?: CallOptions & { idempotencyKey?: string },
  ): Promise<readonly Run[]>;
  /** Newest first. With terms of a search a page may be short, or empty, although more follow. */
  list(filter?: RunsFilter, options?: CallOptions): Promise<RunPage>;
  /** With `waitMs` (at most 60,000) it returns as soon as the run is final, at the latest after that time. */
  get(runId: string, options?: CallOptions & { waitMs?: number }): Promise<RunDocument>;
  cancel(runId: string, options?: CallOptions): Promise<Run>;
  /** Cancels all queued runs, or those of one scenario, and returns their number. */
  cancelQueued(instance: string, scenario?: string, options?: CallOptions): Promise<number>;
  /** The newest result of each scenario of the catalogue. */
  listScenarioResults(instance: string, options?: CallOptions): Promise<readonly ScenarioResult[]>;
  getReport(runId: string, options?: CallOptions): Promise<Report>;
  /** The report in another format, rendered by the control plane. */
  renderReport(runId: string, format: 'text' | 'junit' | 'html' | 'agent', options?: CallOptions): Promise<string>;
};

export function createRunsClient({ json, text }: Transport): RunsClient {
  const isRun = createObjectGuard<Run>('run_id', 'state');
  const isRequested = createObjectGuard<CreateRunsResponse>('runs');
  const isDocument = createObjectGuard<RunDocument>('run_id', 'state', 'report');
  const isQueueCancelled = createObjectGuard<CancelQueuedRunsResponse>('cancelled');
  const isReport = createObjectGuard<Report>('report_version', 'run_id', 'result');
  return {
    async request(instance, body, { idempotencyKey, signal } = {}) {
      const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const path = apiPath('instances', instance, 'runs');
      return (await json({ method: 'POST', path, body, headers, signal }, isRequested)).runs;
    },
    list: ({ states, judged, replaced, ...filter } = {}, options) =>
      json(
        {
          method: 'GET',
          path: apiPath('runs'),
          query: { ...filter, state: states, judged: judged?.toString(), replaced: replaced?.toString() },
          ...options,
        },
        createObjectGuard<RunPage>('items', 'next_cursor'),
      ),
    get(runId, { waitMs = 0, signal } = {}) {
      const query = waitMs > 0 ? { wait_ms: Math.round(waitMs) } : {};
      const timeoutMs = waitMs + defaultTimeoutMs;
      return json({ method: 'GET', path: apiPath('runs', runId), query, timeoutMs, signal }, isDocument);
    },
    cancel: (runId, options) => json({ method: 'POST', path: apiPath('runs', runId, 'cancel'), ...options }, isRun),
    async cancelQueued(instance, scenario, options) {
      const path = apiPath('instances', instance, 'queue', 'cancel');
      const body = scenario === undefined ? {} : { scenario };
      return (await json({ method: 'POST', path, body, ...options }, isQueueCancelled)).cancelled;
    },
    async listScenarioResults(instance, options) {
      const path = apiPath('instances', instance, 'scenario-results');
      return (await json({ method: 'GET', path, ...options }, createPageTypeGuard<ScenarioResult>())).items;
    },
    getReport: (runId, options) =>
      json({ method: 'GET', path: apiPath('runs', runId, 'report'), ...options }, isReport),
    renderReport: (runId, format, options) =>
      text({ method: 'GET', path: apiPath('runs', runId, 'report'), query: { format }, ...options }),
  };
}
