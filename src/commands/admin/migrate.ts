import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import type { StoreVersion } from '../../store/postgres/store-versions.ts';
import {
  listDatabaseVersions,
  listFolderVersions,
  migrateDatabase,
  migrateFolder,
} from '../../store/store-migration.ts';
import { createProgress } from '../../terminal/progress.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { completeCommands } from '../suggest.ts';
import { storeLabels } from './store-names.ts';

function countSteps({ found = 0, known }: StoreVersion): number {
  return known - found;
}

/** `before`: where steps were taken, the version before them. */
function formatVersion(version: StoreVersion, before: StoreVersion | undefined): string {
  const { store, found, known } = version;
  const label = store === 'shared' ? 'what replicas share' : storeLabels[store];
  const steps = countSteps(version);
  if (found === undefined) return `${label}: not created yet`;
  if (steps === 0 && before && before.found === undefined) return `${label}: created, version ${known}`;
  const taken = before ? countSteps(before) : 0;
  if (steps === 0 && taken > 0) return `${label}: version ${known}, ${formatSteps(taken)} taken`;
  if (steps === 0) return `${label}: version ${known}, nothing to do`;
  return `${label}: version ${found}, ${formatSteps(steps)} to ${known}`;
}

function formatSteps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}

function formatNext(versions: readonly StoreVersion[], isCheck: boolean): string {
  if (versions.every((version) => countSteps(version) === 0)) return isCheck ? '' : 'next: start `vp serve`\n';
  const isNew = versions.every(({ found }) => found === undefined);
  if (isNew) return 'next: `vp migrate`, or start `vp serve`: both create them\n';
  return 'next: `vp backup` to a new file, then `vp migrate` or start `vp serve`: both take these steps\n';
}

/** `vp migrate`. */
export const migrateCommand = command({
  name: 'migrate',
  summary: 'bring stores to this version, or check what that needs',
  positionals: [],
  flags: {
    check: { type: 'boolean', describe: 'change nothing; exit code 1 when there are steps to take' },
    ...storeFolderFlag,
    database: databaseFlags.database,
    'database-file': databaseFlags['database-file'],
  },
  examples: [
    ['vp migrate --check', 'before an upgrade, with the new vp'],
    [
      'vp migrate --database-file /etc/vp/database.url',
      'of a store on PostgreSQL, before the first new replica starts',
    ],
  ],
  notes:
    '`vp serve` takes the same steps when it starts. Each one is a transaction: it happens whole or not at all. Steps only add, so ' +
    'that replicas of the version before go on until they are replaced; from then on that version cannot start on the stores, ' +
    'and says so. A folder must not be in use, and its files are copied before they change (`*.before-N`).',
  async run({ flags, json, environment, catalogue }) {
    const { cwd, paths, streams, clock, pid } = environment;
    const isCheck = flags.check === true;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const settings = parseDatabase(flags, environment, 'vp migrate')?.main;
    const list = async (): Promise<StoreVersion[]> =>
      settings ? await listDatabaseVersions(settings, clock) : listFolderVersions(folder);
    const before = await list();
    const isNeeded = before.some((version) => countSteps(version) > 0);
    if (isNeeded && !isCheck) {
      const progress = createProgress(streams.stderr, clock);
      progress.update('migrating');
      await (settings ? migrateDatabase(settings, clock) : migrateFolder(folder, pid)).finally(() => progress.stop());
    }
    const versions = isCheck ? before : await list();
    const isDone = versions.every((version) => countSteps(version) === 0);
    const stores = versions.map(({ store, found = null, known }) => ({ store, version: found, newest: known }));
    const taken = (store: StoreVersion['store']) => (isCheck ? undefined : before.find((each) => each.store === store));
    const lines = versions.map((version) => formatVersion(version, taken(version.store)));
    const text = `${lines.join('\n')}\n${formatNext(versions, isCheck)}`;
    streams.stdout.write(
      json
        ? `${JSON.stringify({ stores, steps_needed: !isDone, migrated: isNeeded && !isCheck })}\n`
        : await completeCommands(text, { environment, catalogue }),
    );
    return isDone ? exitCode.done : exitCode.checkFailed;
  },
});
