import { readFileSync } from 'node:fs';

function readOwnMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The processor time of this process and of those that it waited for; elsewhere than on Linux of this one alone. Linux counts in
 * hundredths of a second; fields 14 to 17 are the user and system time of the process and of its children.
 */
export function readTreeMs(): number {
  if (process.platform !== 'linux') return readOwnMs();
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * 10, 0);
}
