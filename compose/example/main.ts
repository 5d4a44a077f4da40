/** Entry of the example application: `node main.ts`, or `node main.ts --health`. The README has its variables. */
import { runExample } from './run.ts';

process.exitCode = await runExample({
  args: process.argv.slice(2),
  variables: process.env,
  log: (line) => process.stdout.write(`${line}\n`),
  onInterrupt: (listener) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, listener);
  },
});
