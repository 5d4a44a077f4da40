/** How long a server may take to say which era of the protocol it has. */
import t from 'tap';
import { createRawServer } from '../fixtures/raw-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

t.test('a server over HTTP has the time of the whole connect, as it is called in no other era', async (t) => {
  const { url } = await startTestServer(t, createRawServer({}));
  const gateway = await startTestGateway(t, [createConnection('good', url)], { probeMs: 1 });
  const client = await gateway.client('ann', modernClient);
  t.match(await client.callTool({ name: 'good__tool', arguments: {} }), { content: [{ text: 'done' }] });
});
