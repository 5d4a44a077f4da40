/**
 * Writes, when a test file ends, how much processor time it and the processes took that it waited for, to the file that the runner names.
 * Those that a killed process left behind are not in it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { VP_TEST_USAGE: usageFile } = process.env;
// Only for this process: not for those that it starts.
delete process.env.VP_TEST_USAGE;

/** Linux counts in hundredths of a second; fields 14 to 17 are the user and system time of the process and of its children. */
function readTreeMs() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * 10, 0);
}

function readOwnMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

if (usageFile !== undefined && isMainThread)
  process.on('exit', () => writeFileSync(usageFile, String(process.platform === 'linux' ? readTreeMs() : readOwnMs())));
