import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { type RestoreOptions, type RestoreResult, restoreControl } from '../../control/restore.ts';
import { type DatabaseRestoreResult, restoreIntoDatabase } from '../../control/restore-into-database.ts';
import { exitCode } from '../../errors/exit-code.ts';
import type { PostgresSettings } from '../../store/postgres/connection-settings.ts';
import { backedUpStores } from '../../store/store-files.ts';
import { createProgress, type Progress } from '../../terminal/progress.ts';
import { settleRecentCalls } from '../audit/recent-calls.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { completeCommands } from '../suggest.ts';
import { storeLabels } from './store-names.ts';

function formatRestore({ ended, cancelled, stores }: RestoreResult, folder: string): string {
  const names = stores.toReversed().map(({ store }) => storeLabels[store]);
  const lines = [`restored ${names.join(', ')} in ${folder}`];
  for (const { store, replaced, recentCalls } of stores) {
    if (replaced !== undefined) lines.push(`${storeLabels[store]} that was replaced is kept as ${replaced}`);
    if (recentCalls !== undefined) lines.push(`recorded calls that are not in it are kept as ${recentCalls}`);
  }
  for (const { name } of backedUpStores)
    if (!stores.some(({ store }) => store === name))
      lines.push(`the backup does not contain ${storeLabels[name]}: it is not changed`);
  lines.push(...listConsequences({ ended, cancelled }), 'next: start `vp serve`, then restart the executors');
  return `${lines.join('\n')}\n`;
}

function formatDatabaseRestore({ stores, ...counts }: DatabaseRestoreResult, database: string): string {
  const rows = ({ tables }: (typeof stores)[number]): number => tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = stores.map((store) => `restored ${storeLabels[store.store]} in ${database}: ${rows(store)} rows`);
  const next = 'next: start `vp serve` on this database with the same master key, then restart the executors';
  return `${[...lines, ...listConsequences(counts), next].join('\n')}\n`;
}

function listConsequences({ ended, cancelled }: Pick<RestoreResult, 'ended' | 'cancelled'>): string[] {
  const lines: string[] = [];
  if (ended > 0) lines.push(`${ended} runs that were in progress ended as failed (executor_lost)`);
  if (cancelled > 0)
    lines.push(
      `${cancelled} queued runs were cancelled, because they may have run after the backup: request them again`,
    );
  lines.push(
    'everyone must sign in again; open invitations are revoked; API keys are those of the backup: review them',
  );
  return lines;
}

function toDocument({ ended, cancelled, stores }: RestoreResult, folder: string) {
  const replaced = stores.find(({ store }) => store === 'control')?.replaced;
  return {
    data: folder,
    ended,
    cancelled,
    replaced,
    stores: stores.map((copy) => ({
      ...{ store: copy.store, replaced: copy.replaced ?? null },
      ...(copy.store === 'audit' ? { recent_calls: copy.recentCalls ?? null } : {}),
    })),
  };
}

function restoreDatabase(options: RestoreOptions, settings: PostgresSettings, progress: Progress) {
  return restoreIntoDatabase({
    ...{ ...options, settings },
    onCopied: (store, phase, share) => progress.update(`${phase} ${storeLabels[store]}, ${Math.round(share * 100)} %`),
  });
}

function toDatabaseDocument({ ended, cancelled, stores }: DatabaseRestoreResult, database: string) {
  return { database, ended, cancelled, stores: stores.map(({ store }) => ({ store })) };
}

/** `vp restore`. */
export const restoreCommand = command({
  name: 'restore',
  summary: 'restore the control plane’s stores from a backup',
  positionals: [
    { name: 'file', describe: 'the backup file; files of the same backup next to it are restored too', required: true },
  ],
  flags: {
    ...storeFolderFlag,
    database: databaseFlags.database,
    'database-file': databaseFlags['database-file'],
  },
  examples: [
    ['vp restore /backup/vp-monday.db', 'while no `vp serve` is using the folder'],
    ['vp restore /backup/vp-monday.db --database-file /etc/vp/database.url', 'into an empty PostgreSQL database'],
  ],
  notes:
    'Needs the master key of the control plane that was backed up: master.key in the folder, or VP_MASTER_KEY. A restore that is ' +
    'interrupted is completed by the next `vp serve` or `vp restore`.\n' +
    'Leases end and queued runs are cancelled, because the backup does not know what executors did since. Reports for unknown ' +
    'runs are stored separately. The audit log of hubs is restored too; the newer one is kept next to it.',
  async run({ flags, args: [file = ''], json, environment, catalogue }) {
    const { cwd, paths, streams, clock, pid, variables } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const progress = createProgress(streams.stderr, clock);
    const options: RestoreOptions = {
      ...{ backup: resolve(cwd, file), folder, clock, pid, masterKey: variables.VP_MASTER_KEY },
      onProgress: (store, share) => progress.update(`checking ${storeLabels[store]}, ${Math.round(share * 100)} %`),
    };
    const database = parseDatabase(flags, environment, 'vp restore')?.main;
    if (database) {
      const name = `${database.address}/${database.database}`;
      const result = await restoreDatabase(options, database, progress).finally(() => progress.stop());
      streams.stdout.write(
        json ? `${JSON.stringify(toDatabaseDocument(result, name))}\n` : formatDatabaseRestore(result, name),
      );
      return exitCode.done;
    }
    await settleRecentCalls(folder, environment);
    const restored = await restoreControl(options).finally(() => progress.stop());
    const text = json ? '' : await completeCommands(formatRestore(restored, folder), { environment, catalogue });
    streams.stdout.write(json ? `${JSON.stringify(toDocument(restored, folder))}\n` : text);
    return exitCode.done;
  },
});
