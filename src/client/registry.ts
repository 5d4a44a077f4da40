/** What the control plane's registry of MCP servers has published; needs no credential. */
import type { RegistryEntry, RegistryList, RegistryQuery } from '../contract/registry-api.ts';
import { objectWith } from './answer.ts';
import type { Giving } from './call.ts';
import type { Transport } from './transport.ts';

/** Reading calls of contract/registry-api.ts. */
export type RegistryClient = {
  /** A page, by name; `metadata.nextCursor` is absent on the last. The newest version of each unless another is asked for. */
  search(query?: RegistryQuery, giving?: Giving): Promise<RegistryList>;
  /** All versions of a server, newest first. Throws REGISTRY_SERVER_UNKNOWN. */
  versions(name: string, giving?: Giving): Promise<RegistryList>;
  /** One version, the latest unless said otherwise. Throws REGISTRY_SERVER_UNKNOWN. */
  version(name: string, version?: string, giving?: Giving): Promise<RegistryEntry>;
};

const isList = objectWith<RegistryList>('servers', 'metadata');
const isEntry = objectWith<RegistryEntry>('server', '_meta');

/** See {@link RegistryClient}. */
export function registryOf({ json }: Pick<Transport, 'json'>): RegistryClient {
  const path = (...more: readonly string[]): string => ['/v0/servers', ...more.map(encodeURIComponent)].join('/');
  return {
    search: ({ include_deleted, ...query } = {}, giving) => {
      const deleted = include_deleted === undefined ? {} : { include_deleted: String(include_deleted) };
      const asked = { version: 'latest', ...query, ...deleted };
      return json({ method: 'GET', path: path(), query: asked, ...giving }, isList);
    },
    versions: (name, giving) => json({ method: 'GET', path: path(name, 'versions'), ...giving }, isList),
    version: (name, version = 'latest', giving) =>
      json({ method: 'GET', path: path(name, 'versions', version), ...giving }, isEntry),
  };
}
