import { dirname, join, resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type BackupCopy, type BackupProgress, backUpStores } from '../../store/backup.ts';
import { copyDatabaseIntoFiles } from '../../store/copy/move-stores.ts';
import type { PostgresSettings } from '../../store/postgres/connection-settings.ts';
import { getBackupFile } from '../../store/store-files.ts';
import { createProgress } from '../../terminal/progress.ts';
import { settleRecentCalls } from '../audit/recent-calls.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { pathExists } from '../scenarios/scenario-files.ts';
import { storeLabels } from './store-names.ts';

function formatBackup(copies: readonly BackupCopy[], keyFile: string): string {
  const lines = copies
    .toReversed()
    .map(({ store, file, bytes }) => `copied ${storeLabels[store]} to ${file} (${bytes} bytes)`);
  return `${lines.join('\n')}\nstore ${keyFile} separately: the copy cannot be opened without it\n`;
}

function toDocument(copies: readonly BackupCopy[], target: string, keyFile: string) {
  const files = copies.map(({ store, file, bytes }) => ({ store, file, size_bytes: bytes }));
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return { file: target, size_bytes: bytes, files, master_key_file: keyFile };
}

/** The form of a backup is the same on both engines, and so is what restores it. */
async function backUpDatabase(
  settings: PostgresSettings,
  target: string,
  { clock, pid }: Pick<Environment, 'clock' | 'pid'>,
  onProgress: BackupProgress,
): Promise<BackupCopy[]> {
  const getFile = (store: BackupCopy['store']): string => getBackupFile(target, store);
  const copies = await copyDatabaseIntoFiles({
    ...{ settings, clock, pid, getFile, isMoving: false },
    verifyAudit: async () => undefined,
    onProgress: (store, phase, share) => onProgress(store, phase === 'copying' ? 'copying' : 'checking', share),
  });
  return copies.map(({ store, bytes = 0 }) => ({ store, file: getFile(store), bytes }));
}

/** `vp backup`. */
export const backupCommand = command({
  name: 'backup',
  summary: 'back up the control plane’s stores, even while they are in use',
  positionals: [{ name: 'file', describe: 'the backup file; an existing file is not overwritten', required: true }],
  flags: {
    ...storeFolderFlag,
    database: databaseFlags.database,
    'database-file': databaseFlags['database-file'],
  },
  examples: [
    ['vp backup /backup/vp-monday.db', 'while `vp serve` is running'],
    [
      'vp backup /backup/vp-monday.db --database-file /etc/vp/database.url',
      'of a store on PostgreSQL, into the same files',
    ],
  ],
  notes:
    'The audit log and the memory of hubs are copied next to it: vp-monday.audit.db and vp-monday.memory.db. All copies are of ' +
    'the same moment, and every page of them is checked: a damaged store is refused, and no file is left. Of a store on PostgreSQL, every row is compared instead.\n' +
    'The copies do not contain the master key: store master.key of the data folder, or VP_MASTER_KEY, in another safe place.',
  async run({ flags, args: [file = ''], json, environment }) {
    const { cwd, paths, streams, clock, pid } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const target = resolve(cwd, file);
    if (!pathExists(dirname(target), cwd)) throw vpError('BACKUP_FOLDER_MISSING', { folder: dirname(target) });
    const database = parseDatabase(flags, environment, 'vp backup')?.main;
    if (!database) await settleRecentCalls(folder, environment);
    const progress = createProgress(streams.stderr, clock);
    const onProgress: BackupProgress = (store, phase, share) =>
      progress.update(`${phase} ${storeLabels[store]}, ${Math.round(share * 100)} %`);
    const copying = database
      ? backUpDatabase(database, target, environment, onProgress)
      : backUpStores(folder, target, pid, onProgress);
    const copies = await copying.finally(() => progress.stop());
    const keyFile = join(folder, 'master.key');
    streams.stdout.write(
      json ? `${JSON.stringify(toDocument(copies, target, keyFile))}\n` : formatBackup(copies, keyFile),
    );
    return exitCode.done;
  },
});
