import type { RegistryListQuery } from '../../contract/registry/registry-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  findLatestRegistryVersion,
  findRegistryVersion,
  listRegistryVersions,
  listServerVersions,
  type RegistryVersionRow,
} from '../../store/control/registry/versions.ts';
import { slicePage } from '../../store/page.ts';
import type { RegistryContext } from '../context.ts';
import { formatCursor, formatEntryList, formatRegistryEntry, parseCursor } from './entry.ts';

/** The public reads of a registry. Results are JSON texts, without deleted versions unless requested. */
export type RegistryReader = {
  /** Throws CURSOR_INVALID. With `updatedSinceMs` deleted versions are included, because mirrors need them. */
  list(query: Omit<RegistryListQuery, 'updated_since'> & { updatedSinceMs?: number | undefined }): Promise<string>;
  /** Throws REGISTRY_SERVER_UNKNOWN. */
  versions(name: string, includeDeleted: boolean): Promise<string>;
  /** `version` may be `latest`. Throws REGISTRY_SERVER_UNKNOWN. */
  version(name: string, version: string, includeDeleted: boolean): Promise<string>;
};

const defaultLimit = 30;

export function createUnknownServerError(name: string, version?: string) {
  const server = name.slice(0, 200) + (version === undefined ? '' : ` in version ${version.slice(0, 100)}`);
  return vpError('REGISTRY_SERVER_UNKNOWN', { server });
}

const isVisible = ({ status }: RegistryVersionRow, includeDeleted: boolean): boolean =>
  includeDeleted || status !== 'deleted';

export function createRegistryReader({ database }: Pick<RegistryContext, 'database'>): RegistryReader {
  return {
    async list({ search, version, cursor, limit = defaultLimit, include_deleted = false, updatedSinceMs }) {
      const latestOnly = version === 'latest';
      const range = {
        search,
        version: latestOnly ? undefined : version,
        latestOnly,
        includeDeleted: include_deleted || updatedSinceMs !== undefined,
        updatedAfterMs: updatedSinceMs,
        after: cursor === undefined || cursor === '' ? undefined : parseCursor(cursor),
      };
      const rows = await database.read((sql) => listRegistryVersions(sql, range, limit + 1));
      const { items, last } = slicePage(rows, limit);
      return formatEntryList(items, last && formatCursor(last));
    },
    async versions(name, includeDeleted) {
      const rows = await database.read((sql) => listServerVersions(sql, name));
      const visible = rows.filter((row) => isVisible(row, includeDeleted));
      if (visible.length === 0) throw createUnknownServerError(name);
      return formatEntryList(visible, undefined);
    },
    async version(name, version, includeDeleted) {
      const row = await database.read((sql) =>
        version === 'latest' ? findLatestRegistryVersion(sql, name) : findRegistryVersion(sql, name, version),
      );
      if (row && isVisible(row, includeDeleted)) return formatRegistryEntry(row);
      throw createUnknownServerError(name, version);
    },
  };
}
