/** A program of its own: callers of the newest era give up at an older server, everything is closed, and nothing may be left. */
import { goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { connectionTo, house, newest } from './house.ts';

const closing: (() => unknown)[] = [];
const t = { teardown: (action: () => unknown) => void closing.unshift(action) };
const upstream = await served(t, goodServer('older').answer);
const home = await house(t, [connectionTo('good', upstream.url)]);
const client = await home.client('ann', { ...newest, capabilities: { elicitation: {} } });
client.setRequestHandler('elicitation/create', async () => {
  throw new Error('nobody is here');
});
await client.callTool({ name: 'good__ask', arguments: {} }).catch(() => {});
void client.callTool({ name: 'good__slow', arguments: { ms: 120_000 } }).catch(() => {});
await new Promise((resolve) => setTimeout(resolve, 200));
for (const close of closing) await close();
process.stdout.write('closed\n');
