import { join, resolve } from 'node:path';
import { exitCode } from '../errors/exit-code.ts';
import { backUp, type CopiedStore } from '../store/backup.ts';
import { progressOn } from '../terminal/progress.ts';
import { command } from './command.ts';
import { storeFolderFlag } from './common-flags.ts';
import { storeWords } from './store-words.ts';

function textOf(copies: readonly CopiedStore[], keyFile: string): string {
  const lines = copies
    .toReversed()
    .map(({ store, file, bytes }) => `copied ${storeWords[store]} to ${file} (${bytes} bytes)`);
  return `${lines.join('\n')}\nkeep ${keyFile} in another place: the copy cannot be opened without it\n`;
}

function documentOf(copies: readonly CopiedStore[], target: string, keyFile: string) {
  const files = copies.map(({ store, file, bytes }) => ({ store, file, size_bytes: bytes }));
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return { file: target, size_bytes: bytes, files, master_key_file: keyFile };
}

/** `vp backup`: copies the control plane's stores, also while they are in use. */
export const backupCommand = command({
  name: 'backup',
  summary: 'copy the control plane’s stores into files, while they are in use',
  positionals: [{ name: 'file', describe: 'the new file; never overwritten', required: true }],
  flags: storeFolderFlag,
  examples: [['vp backup /backup/vp-monday.db', 'while `vp serve` goes on']],
  notes:
    'The audit and the memory of hubs are copied beside it: vp-monday.audit.db and vp-monday.memory.db. All are as they ' +
    'were at one moment.\n' +
    'The master key is not in the copies: keep master.key of the data folder, or VP_MASTER_KEY, in another safe place.',
  async run({ flags, words: [file = ''], json, environment }) {
    const { cwd, paths, streams, clock } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const target = resolve(cwd, file);
    const progress = progressOn(streams.stderr, clock);
    const copies = await backUp(folder, target, (store, share) =>
      progress.tell(`copying ${storeWords[store]}, ${Math.round(share * 100)} %`),
    ).finally(() => progress.end());
    const keyFile = join(folder, 'master.key');
    streams.stdout.write(json ? `${JSON.stringify(documentOf(copies, target, keyFile))}\n` : textOf(copies, keyFile));
    return exitCode.done;
  },
});
