import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { type RestoreResult, restoreControl } from '../../control/restore.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { backedUpStores } from '../../store/store-files.ts';
import { createProgress } from '../../terminal/progress.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { completeCommands } from '../suggest.ts';
import { storeLabels } from './store-names.ts';

function formatRestore({ ended, cancelled, stores }: RestoreResult, folder: string): string {
  const names = stores.toReversed().map(({ store }) => storeLabels[store]);
  const lines = [`restored ${names.join(', ')} in ${folder}`];
  for (const { store, replaced } of stores)
    if (replaced !== undefined) lines.push(`${storeLabels[store]} that was replaced is kept as ${replaced}`);
  for (const { name } of backedUpStores)
    if (!stores.some(({ store }) => store === name))
      lines.push(`the backup does not contain ${storeLabels[name]}: it is not changed`);
  if (ended > 0) lines.push(`${ended} runs that were in progress ended as failed (executor_lost)`);
  if (cancelled > 0)
    lines.push(
      `${cancelled} queued runs were cancelled, because they may have run after the backup: request them again`,
    );
  lines.push(
    'everyone must sign in again; open invitations are revoked; API keys are those of the backup: review them',
  );
  lines.push('next: start `vp serve`, then restart the executors');
  return `${lines.join('\n')}\n`;
}

function toDocument({ ended, cancelled, stores }: RestoreResult, folder: string) {
  const replaced = stores.find(({ store }) => store === 'control')?.replaced;
  return {
    data: folder,
    ended,
    cancelled,
    replaced,
    stores: stores.map((copy) => ({ store: copy.store, replaced: copy.replaced ?? null })),
  };
}

/** `vp restore`. */
export const restoreCommand = command({
  name: 'restore',
  summary: 'restore the control plane’s stores from a backup',
  positionals: [
    { name: 'file', describe: 'the backup file; files of the same backup next to it are restored too', required: true },
  ],
  flags: storeFolderFlag,
  examples: [['vp restore /backup/vp-monday.db', 'while no `vp serve` is using the folder']],
  notes:
    'Needs the master key of the control plane that was backed up: master.key in the folder, or VP_MASTER_KEY. A restore that is ' +
    'interrupted is completed by the next `vp serve` or `vp restore`.\n' +
    'Leases end and queued runs are cancelled, because the backup does not know what executors did since. Reports for unknown ' +
    'runs are stored separately. The audit log of hubs is restored too; the newer one is kept next to it.',
  async run({ flags, args: [file = ''], json, environment }) {
    const { cwd, paths, streams, clock, pid, variables } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const progress = createProgress(streams.stderr, clock);
    const restored = await restoreControl({
      ...{ backup: resolve(cwd, file), folder, clock, pid, masterKey: variables.VP_MASTER_KEY },
      onProgress: (store, share) => progress.update(`checking ${storeLabels[store]}, ${Math.round(share * 100)} %`),
    }).finally(() => progress.stop());
    const text = json ? '' : await completeCommands(formatRestore(restored, folder), environment);
    streams.stdout.write(json ? `${JSON.stringify(toDocument(restored, folder))}\n` : text);
    return exitCode.done;
  },
});
