import { join, resolve } from 'node:path';
import { exitCode } from '../errors/exit-code.ts';
import { controlStoreFile } from '../store/control/open.ts';
import { copyStore } from '../store/copy.ts';
import { progressOn } from '../terminal/progress.ts';
import { command } from './command.ts';
import { storeFolderFlag } from './common-flags.ts';

/** `vp backup`: copies the control plane's store, also while it is in use. */
export const backupCommand = command({
  name: 'backup',
  summary: 'copy the control plane’s store into a file, while it is in use',
  positionals: [{ name: 'file', describe: 'the new file; never overwritten', required: true }],
  flags: storeFolderFlag,
  examples: [['vp backup /backup/vp-monday.db', 'while `vp serve` goes on']],
  notes:
    'The master key is not in the copy: keep master.key of the data folder, or VP_MASTER_KEY, in another safe place.',
  async run({ flags, words: [file = ''], json, environment }) {
    const { cwd, paths, streams, clock } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const target = resolve(cwd, file);
    const progress = progressOn(streams.stderr, clock);
    const bytes = await copyStore(controlStoreFile(folder), target, (share) =>
      progress.tell(`copying, ${Math.round(share * 100)} %`),
    ).finally(() => progress.end());
    const keyFile = join(folder, 'master.key');
    const text = `copied the store to ${target} (${bytes} bytes)\nkeep ${keyFile} in another place: the copy cannot be opened without it\n`;
    streams.stdout.write(
      json ? `${JSON.stringify({ file: target, size_bytes: bytes, master_key_file: keyFile })}\n` : text,
    );
    return exitCode.done;
  },
});
