import type {
  CreateStatusPageRequest,
  CreateStatusPageResponse,
  ExtendStatusPageRequest,
  StatusPage,
} from '../contract/status-pages-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type StatusPagesClient = {
  /** Newest first, with those that ended in the last 30 days. */
  list(instance: string, options?: CallOptions): Promise<readonly StatusPage[]>;
  create(instance: string, input: CreateStatusPageRequest): Promise<CreateStatusPageResponse>;
  extend(instance: string, page: string, input: ExtendStatusPageRequest): Promise<StatusPage>;
  revoke(instance: string, page: string): Promise<void>;
};

export function createStatusPagesClient({ json, noContent }: Transport): StatusPagesClient {
  const path = (instance: string, ...rest: string[]) => apiPath('instances', instance, 'status-pages', ...rest);
  return {
    async list(instance, options) {
      const call = { method: 'GET', path: path(instance), ...options } as const;
      return (await json(call, createPageTypeGuard<StatusPage>())).items;
    },
    create: (instance, body) =>
      json(
        { method: 'POST', path: path(instance), body },
        createObjectGuard<CreateStatusPageResponse>('status_page', 'url', 'badge_url'),
      ),
    extend: (instance, page, body) =>
      json(
        { method: 'PUT', path: path(instance, page), body },
        createObjectGuard<StatusPage>('status_page_id', 'until'),
      ),
    revoke: (instance, page) => noContent({ method: 'DELETE', path: path(instance, page) }),
  };
}
