import { resolve } from 'node:path';
import { type Restored, restoreControl } from '../control/restore.ts';
import { exitCode } from '../errors/exit-code.ts';
import { backedUpStores } from '../store/backup.ts';
import { command } from './command.ts';
import { storeFolderFlag } from './common-flags.ts';
import { storeWords } from './store-words.ts';

function textOf({ ended, cancelled, stores }: Restored, folder: string): string {
  const names = stores.toReversed().map(({ store }) => storeWords[store]);
  const lines = [`restored ${names.join(', ')} in ${folder}`];
  for (const { store, replaced } of stores)
    if (replaced !== undefined) lines.push(`${storeWords[store]} that was there is kept as ${replaced}`);
  for (const { name } of backedUpStores)
    if (!stores.some(({ store }) => store === name))
      lines.push(`the backup does not hold ${storeWords[name]}: it stays as it is`);
  if (ended > 0) lines.push(`${ended} runs that were in progress ended as failed (executor_lost)`);
  if (cancelled > 0)
    lines.push(`${cancelled} queued runs were cancelled, since they may have run after the copy: request them again`);
  lines.push('everybody signs in again; open invitations ended; API keys are those of the copy: look them through');
  lines.push('next: start `vp serve`, then restart the executors');
  return `${lines.join('\n')}\n`;
}

function documentOf({ ended, cancelled, stores }: Restored, folder: string) {
  const replaced = stores.find(({ store }) => store === 'control')?.replaced;
  return {
    data: folder,
    ended,
    cancelled,
    replaced,
    stores: stores.map((one) => ({ store: one.store, replaced: one.replaced ?? null })),
  };
}

/** `vp restore`: puts a copy made by `vp backup` in the store's place. */
export const restoreCommand = command({
  name: 'restore',
  summary: 'put a copy made by vp backup in the place of the control plane’s stores',
  positionals: [{ name: 'file', describe: 'the copy, with those beside it', required: true }],
  flags: storeFolderFlag,
  examples: [['vp restore /backup/vp-monday.db', 'while no `vp serve` uses the folder']],
  notes:
    'Leases end and queued runs are cancelled: whatever executors did since the copy is not known to it. Reports that arrive ' +
    'for runs it does not know are kept apart. The audit of hubs becomes that of the copy too; the newer one is kept beside it.',
  async run({ flags, words: [file = ''], json, environment }) {
    const { cwd, paths, streams, clock, pid } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const restored = await restoreControl(resolve(cwd, file), folder, clock, pid);
    streams.stdout.write(json ? `${JSON.stringify(documentOf(restored, folder))}\n` : textOf(restored, folder));
    return exitCode.done;
  },
});
