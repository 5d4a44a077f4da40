/** The control plane with a lease of half a second: `node short-lease-plane.ts <data folder>`. The product offers no flag for it. */
import { startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { openProcessLog } from '../../src/assemble/process-log.ts';
import { processEnvironment } from '../../src/environment/environment.ts';

const environment = processEnvironment();
const [folder = ''] = environment.args;
const log = await openProcessLog('serve', 'info', environment.streams.stderr);
const settings = { leaseMs: 500, heartbeatMs: 100 };
const plane = await startControlPlane({ environment, folder, host: '127.0.0.1', port: 0, settings, log });
environment.streams.stdout.write(`${JSON.stringify({ event: 'listening', url: plane.url })}\n`);
