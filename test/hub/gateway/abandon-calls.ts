/**
 * A separate program: callers of the newest era give up at an older server, everything is closed, and nothing may keep
 * the process alive.
 */

import { eventually } from '../../eventually.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const teardowns: (() => unknown)[] = [];
const t = { teardown: (action: () => unknown) => void teardowns.unshift(action) };
const referenceServer = createReferenceServer('older');
const upstream = await startTestServer(t, referenceServer.handle);
const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
const client = await gateway.client('ann', { ...modernClient, capabilities: { elicitation: {} } });
client.setRequestHandler('elicitation/create', async () => {
  throw new Error('nobody is here');
});
await client.callTool({ name: 'good__ask', arguments: {} }).catch(() => {});
const callCount = referenceServer.calls;
void client.callTool({ name: 'good__slow', arguments: { ms: 120_000 } }).catch(() => {});
await eventually(() => referenceServer.calls > callCount);
for (const close of teardowns) await close();
process.stdout.write('closed\n');
