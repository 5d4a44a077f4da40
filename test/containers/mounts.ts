/** Mounts that a killed test has left. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Unmounts everything below temporary folders of that name. */
export function unmountLeftovers(name: string): void {
  const prefix = join(tmpdir(), `${name}-`);
  const points = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const point of points.filter((path) => path.startsWith(prefix))) spawnSync('umount', ['--lazy', point]);
}
