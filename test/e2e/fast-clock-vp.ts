/** `vp` with pauses of a fiftieth: it gives up after about a second instead of a minute. */
import { main } from '../../src/commands/main.ts';
import { processEnvironment } from '../../src/environment/environment.ts';

const environment = processEnvironment();
const { clock } = environment;
const fastClock = { ...clock, sleep: (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs / 50, signal) };
process.exit(await main({ ...environment, clock: fastClock }));
