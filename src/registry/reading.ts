/** What is published, for everybody. Answers are JSON texts. */
import type { RegistryQuery } from '../contract/registry-api.ts';
import { vpError } from '../errors/vp-error.ts';
import {
  latestRegistryVersion,
  listRegistryVersions,
  type RegistryVersionRow,
  registryVersion,
  versionsOfServer,
} from '../store/control/registry-versions.ts';
import type { RegistryContext } from './context.ts';
import { cursorOf, placeOf } from './cursor.ts';
import { entryText, listText } from './entry.ts';

/** Reading calls. Deleted versions are left out unless asked for. */
export type RegistryReading = {
  /** Throws REQUEST_INVALID for a cursor that is none. `updatedSinceMs` brings deleted ones too, as who mirrors needs. */
  list(query: Omit<RegistryQuery, 'updated_since'> & { updatedSinceMs?: number | undefined }): Promise<string>;
  /** Throws REGISTRY_SERVER_UNKNOWN. */
  versions(name: string, withDeleted: boolean): Promise<string>;
  /** `latest` stands for the latest. Throws REGISTRY_SERVER_UNKNOWN. */
  version(name: string, version: string, withDeleted: boolean): Promise<string>;
};

const usualLimit = 30;

/** The error for a name, or a version of it, that there is not. */
export function unknownServer(name: string, version?: string) {
  const server = name.slice(0, 200) + (version === undefined ? '' : ` in version ${version.slice(0, 100)}`);
  return vpError('REGISTRY_SERVER_UNKNOWN', { server });
}

const isShown = ({ status }: RegistryVersionRow, withDeleted: boolean): boolean => withDeleted || status !== 'deleted';

/** See {@link RegistryReading}. */
export function readingOf({ database }: Pick<RegistryContext, 'database'>): RegistryReading {
  return {
    async list({ search, version, cursor, limit = usualLimit, include_deleted = false, updatedSinceMs }) {
      const latestOnly = version === 'latest';
      const range = {
        search,
        version: latestOnly ? undefined : version,
        latestOnly,
        withDeleted: include_deleted || updatedSinceMs !== undefined,
        updatedAfterMs: updatedSinceMs,
        after: cursor === undefined || cursor === '' ? undefined : placeOf(cursor),
      };
      const rows = await database.read((sql) => listRegistryVersions(sql, range, limit + 1));
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return listText(shown, rows.length > limit && last ? cursorOf(last) : undefined);
    },
    async versions(name, withDeleted) {
      const rows = await database.read((sql) => versionsOfServer(sql, name));
      const shown = rows.filter((row) => isShown(row, withDeleted));
      if (shown.length === 0) throw unknownServer(name);
      return listText(shown, undefined);
    },
    async version(name, version, withDeleted) {
      const row = await database.read((sql) =>
        version === 'latest' ? latestRegistryVersion(sql, name) : registryVersion(sql, name, version),
      );
      if (row && isShown(row, withDeleted)) return entryText(row);
      throw unknownServer(name, version);
    },
  };
}
