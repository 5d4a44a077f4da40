/**
 * Writes, when the process of a test ends, how much processor time it and the processes took that it waited for, to the file that the
 * runner names. Those that a killed process left behind are not in it.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { readTreeMs } from './processor-time.ts';

const { VP_TEST_USAGE: usageFile } = process.env;
// Only for this process: not for those that it starts.
delete process.env.VP_TEST_USAGE;

if (usageFile !== undefined && isMainThread) process.on('exit', () => writeFileSync(usageFile, String(readTreeMs())));
