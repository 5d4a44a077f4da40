/**
 * The program of the conformance suite, run as often as the parent asks, one run after another: starting it takes longer than most of its
 * runs. It reads its arguments when it is loaded and then ends its process. Here it is loaded anew for each run, beside the packages that it
 * uses, and its end is the answer to the parent.
 */
import { pathToFileURL } from 'node:url';

const [entry = ''] = process.argv.slice(2);
const exit = process.exit;
let runCount = 0;

async function run(args: readonly string[]): Promise<void> {
  const ended = Promise.withResolvers<void>();
  process.exit = (() => ended.resolve()) as typeof process.exit;
  process.argv = [process.execPath, entry, ...args];
  runCount += 1;
  await import(`${pathToFileURL(entry).href}?run=${runCount}`);
  await ended.promise;
}

process.on('disconnect', () => exit());
process.on('message', async (args: readonly string[]) => {
  await run(args);
  process.send?.('ended');
});
