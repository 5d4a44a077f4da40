/** A disk in memory that can be filled. Needs root, or a machine that lets this user mount. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

export type SmallDisk = { readonly folder: string; fill(): void; free(): void; unmount(): void };

function run(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Undefined where this user may not mount. */
export function mountSmallDisk(folder: string, sizeMib: number): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true });
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'none', folder)) return undefined;
  const unmount = (): void => void run('umount', '--lazy', folder);
  process.once('exit', unmount);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      // Blocks that are taken meanwhile make it fail; then there is as little room.
      run('fallocate', '--length', String(Math.max(1, bavail * bsize)), filler);
    },
    free: () => rmSync(filler, { force: true }),
    unmount() {
      process.off('exit', unmount);
      unmount();
    },
  };
}
