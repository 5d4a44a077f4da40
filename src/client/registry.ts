/** Published servers of the control plane's MCP registry; needs no credential. */
import type { RegistryEntry, RegistryList, RegistryListQuery } from '../contract/registry/registry-api.ts';
import type { CallOptions } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type RegistryClient = {
  /** A page, by name; `metadata.nextCursor` is absent on the last. The newest version of each server by default. */
  search(query?: RegistryListQuery, options?: CallOptions): Promise<RegistryList>;
  /** All versions of a server, newest first. Throws REGISTRY_SERVER_UNKNOWN. */
  listVersions(name: string, options?: CallOptions): Promise<RegistryList>;
  /** One version, by default the latest. Throws REGISTRY_SERVER_UNKNOWN. */
  getVersion(name: string, version?: string, options?: CallOptions): Promise<RegistryEntry>;
};

const isList = createObjectGuard<RegistryList>('servers', 'metadata');
const isEntry = createObjectGuard<RegistryEntry>('server', '_meta');

export function createRegistryClient({ json }: Pick<Transport, 'json'>): RegistryClient {
  const path = (...segments: readonly string[]): string =>
    ['/v0/servers', ...segments.map(encodeURIComponent)].join('/');
  return {
    search: ({ include_deleted, ...query } = {}, options) => {
      const includeDeleted = include_deleted === undefined ? {} : { include_deleted: String(include_deleted) };
      const params = { version: 'latest', ...query, ...includeDeleted };
      return json({ method: 'GET', path: path(), query: params, ...options }, isList);
    },
    listVersions: (name, options) => json({ method: 'GET', path: path(name, 'versions'), ...options }, isList),
    getVersion: (name, version = 'latest', options) =>
      json({ method: 'GET', path: path(name, 'versions', version), ...options }, isEntry),
  };
}
