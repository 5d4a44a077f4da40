import type { CreateRunsResponse, Run } from '../contract/api.ts';
import type { CreateSuiteRequest, RerunSuiteRequest, Suite } from '../contract/suites-api.ts';
import type { FormatName } from '../report/formats.ts';
import { apiPath, type CallOptions, createPageTypeGuard, type Page, type PageParams } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

/** Conditions are combined with AND. */
export type SuitesFilter = PageParams & {
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly schedule?: string | undefined;
};

export type SuitesClient = {
  /** The newest first. */
  list(instance: string, filter?: SuitesFilter, options?: CallOptions): Promise<Page<Suite>>;
  get(instance: string, suite: string, options?: CallOptions): Promise<Suite>;
  /** The suite of the key, whoever was first. */
  create(instance: string, input: CreateSuiteRequest, options?: CallOptions): Promise<Suite>;
  rerun(
    instance: string,
    suite: string,
    input?: RerunSuiteRequest,
    options?: CallOptions,
  ): Promise<{ readonly suite: Suite; readonly runs: readonly Run[] }>;
  /** Returns the number of runs that were cancelled or requested to stop. */
  cancel(instance: string, suite: string, options?: CallOptions): Promise<number>;
  renderReport(instance: string, suite: string, format: FormatName, options?: CallOptions): Promise<string>;
};

export function createSuitesClient({ json, text }: Transport): SuitesClient {
  const isSuite = createObjectGuard<Suite>('suite_id', 'state', 'counts');
  const isRerun = createObjectGuard<CreateRunsResponse & { suite: Suite }>('suite', 'runs');
  const isCancelled = createObjectGuard<{ cancelled: number }>('cancelled');
  const path = (instance: string, ...rest: string[]) => apiPath('instances', instance, 'suites', ...rest);
  return {
    list: (instance, filter = {}, options) =>
      json({ method: 'GET', path: path(instance), query: { ...filter }, ...options }, createPageTypeGuard<Suite>()),
    get: (instance, suite, options) => json({ method: 'GET', path: path(instance, suite), ...options }, isSuite),
    create: (instance, body, options) => json({ method: 'POST', path: path(instance), body, ...options }, isSuite),
    rerun: (instance, suite, body = {}, options) =>
      json({ method: 'POST', path: path(instance, suite, 'rerun'), body, ...options }, isRerun),
    cancel: async (instance, suite, options) =>
      (await json({ method: 'POST', path: path(instance, suite, 'cancel'), ...options }, isCancelled)).cancelled,
    renderReport: (instance, suite, format, options) =>
      text({ method: 'GET', path: path(instance, suite, 'report'), query: { format }, ...options }),
  };
}
