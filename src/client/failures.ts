import type {
  ChangeFailureRequest,
  FailureDocument,
  FailureFilterState,
  FailureGroup,
} from '../contract/failures-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard, type Page, type PageParams } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

/** Conditions are combined with AND. */
export type FailuresFilter = PageParams & {
  readonly state?: FailureFilterState | undefined;
  readonly scenario?: string | undefined;
  readonly assignee?: string | undefined;
};

export type FailuresClient = {
  /** Those seen last first. */
  list(instance: string, filter?: FailuresFilter, options?: CallOptions): Promise<Page<FailureGroup>>;
  get(instance: string, failure: string, options?: CallOptions): Promise<FailureDocument>;
  change(instance: string, failure: string, input: ChangeFailureRequest, options?: CallOptions): Promise<FailureGroup>;
};

export function createFailuresClient({ json }: Transport): FailuresClient {
  const isFailure = createObjectGuard<FailureGroup>('failure_id', 'state', 'days');
  const isDocument = createObjectGuard<FailureDocument>('failure_id', 'versions', 'newest_runs');
  return {
    list: (instance, filter = {}, options) =>
      json(
        { method: 'GET', path: apiPath('instances', instance, 'failures'), query: { ...filter }, ...options },
        createPageTypeGuard<FailureGroup>(),
      ),
    get: (instance, failure, options) =>
      json({ method: 'GET', path: apiPath('instances', instance, 'failures', failure), ...options }, isDocument),
    change: (instance, failure, body, options) =>
      json({ method: 'PUT', path: apiPath('instances', instance, 'failures', failure), body, ...options }, isFailure),
  };
}
