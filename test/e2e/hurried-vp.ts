/** `vp` whose pauses are a fiftieth as long: what it gives up after a minute, it gives up after a second. */
import { main } from '../../src/commands/main.ts';
import { processEnvironment } from '../../src/environment/environment.ts';

const environment = processEnvironment();
const { clock } = environment;
const hurried = { ...clock, sleep: (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs / 50, signal) };
process.exit(await main({ ...environment, clock: hurried }));
