import type { ChangeViewRequest, CreateViewRequest, SavedView } from '../contract/views-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type ViewsClient = {
  /** Of both pages: those that everyone sees, then one's own, each in the order of their creation. */
  list(instance: string, options?: CallOptions): Promise<readonly SavedView[]>;
  create(instance: string, input: CreateViewRequest): Promise<SavedView>;
  change(instance: string, view: string, input: ChangeViewRequest): Promise<SavedView>;
  remove(instance: string, view: string): Promise<void>;
};

export function createViewsClient({ json, noContent }: Transport): ViewsClient {
  const isView = createObjectGuard<SavedView>('view_id', 'name', 'filters');
  const path = (instance: string, ...rest: string[]) => apiPath('instances', instance, 'views', ...rest);
  return {
    async list(instance, options) {
      const call = { method: 'GET', path: path(instance), ...options } as const;
      return (await json(call, createPageTypeGuard<SavedView>())).items;
    },
    create: (instance, body) => json({ method: 'POST', path: path(instance), body }, isView),
    change: (instance, view, body) => json({ method: 'PATCH', path: path(instance, view), body }, isView),
    remove: (instance, view) => noContent({ method: 'DELETE', path: path(instance, view) }),
  };
}
