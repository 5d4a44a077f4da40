/** Versions of the target that can be compared. They stay in memory until a run ends, or is requested. */
import {
  findNewestRunId,
  findTargetVersion,
  listOtherVersions,
  listTargetVersions,
  type TargetVersionRow,
} from '../../store/control/runs/compared-runs.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import { listNewlyEnded, type ResultBasis, readBasis } from './ended-changes.ts';

/** Versions are looked for in so many of the newest runs. */
const maxVersionRuns = 20_000;
const maxVersions = 200;
const maxStoredInstances = 50;

/** `newestId`: that of the newest run, ended or not, by which it is decided which runs are looked at. */
type StoredVersions = {
  readonly basis: ResultBasis;
  readonly newestId: number | undefined;
  readonly rows: readonly TargetVersionRow[];
};

/** So that two can be compared, the version before is named too where it is older than the runs that are looked at. */
function findVersionBefore(sql: Sql, instance: string, version: string): TargetVersionRow | undefined {
  for (const other of listOtherVersions(sql, instance, version, maxVersions)) {
    const row = findTargetVersion(sql, instance, other, maxVersionRuns);
    if (row) return row;
  }
  return undefined;
}

function readRows(sql: Sql, instance: string): TargetVersionRow[] {
  const rows = listTargetVersions(sql, instance, maxVersionRuns, maxVersions);
  const [only] = rows;
  const before = only && rows.length === 1 ? findVersionBefore(sql, instance, only.version) : undefined;
  return [...rows, ...(before ? [before] : [])];
}

/** Throws INSTANCE_UNKNOWN. */
function readVersions(sql: Sql, instance: string, before: StoredVersions | undefined): StoredVersions {
  const basis = readBasis(sql, instance);
  const newestId = findNewestRunId(sql, instance);
  const isSame =
    before !== undefined &&
    before.newestId === newestId &&
    listNewlyEnded(sql, instance, before.basis, basis)?.length === 0;
  return { basis, newestId, rows: isSame ? before.rows : readRows(sql, instance) };
}

/** `list`: the newest first. */
export type TargetVersions = { list(instance: string): Promise<readonly TargetVersionRow[]> };

export function createTargetVersions({ read }: Pick<Database, 'read'>): TargetVersions {
  const stored = new Map<string, StoredVersions>();
  return {
    async list(instance) {
      const before = stored.get(instance);
      const versions = await read((sql) => readVersions(sql, instance, before));
      if (stored.size >= maxStoredInstances && !before) stored.clear();
      stored.set(instance, versions);
      return versions.rows;
    },
  };
}
