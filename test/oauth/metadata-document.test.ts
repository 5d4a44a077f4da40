/** Client ids that are URLs of metadata documents: which URLs are never fetched. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { getPort } from '../targets/raw-target.ts';
import { startHubControlPlane } from './hub-control-plane.ts';
import { callbackUrl, prepareAuthorization, startAuthorization } from './oauth-client.ts';

const plane = await startHubControlPlane(t, { documentTimeoutMs: 20 });
let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => server.close());
const port = getPort(server);

const addresses: readonly (readonly [name: string, clientId: string])[] = [
  ['over plain http', `http://127.0.0.1:${port}/client.json`],
  ['on this machine', `https://127.0.0.1:${port}/client.json`],
  ['on this machine by name', `https://localhost:${port}/client.json`],
  ['on this machine in IPv6', `https://[::1]:${port}/client.json`],
  ['on this machine as a number', `https://2130706433:${port}/client.json`],
  ['on this machine in octal', `https://0177.0.0.1:${port}/client.json`],
  ['on this machine in short notation', `https://127.1:${port}/client.json`],
  ['on this machine as an IPv4-mapped address', `https://[::ffff:127.0.0.1]:${port}/client.json`],
  ['at the unspecified address', `https://0.0.0.0:${port}/client.json`],
  ['in a private network', 'https://10.0.0.1/client.json'],
  ['at the metadata service of a cloud', 'https://169.254.169.254/latest/meta-data'],
  ['in a private network of IPv6', 'https://[fd00::1]/client.json'],
  ['with user information', 'https://me:secret@app.example/client.json'],
  ['with a fragment', 'https://app.example/client.json#x'],
  ['without a path', 'https://app.example'],
  ['with dot segments', 'https://app.example/a/../client.json'],
  ['of javascript', 'javascript:alert(1)'],
  ['of a file', 'file:///etc/passwd'],
  ['with an overlong URL', `https://app.example/${'x'.repeat(5000)}`],
];
for (const [name, clientId] of addresses) {
  t.test(`a document ${name} is not fetched, and its client is unknown`, async (t) => {
    const before = connections;
    const outcome = await startAuthorization(
      plane.max,
      prepareAuthorization({ url: plane.url, clientId, redirectUri: callbackUrl }),
    );
    t.match(outcome, /^(400|401|414|431)$/);
    t.equal(connections, before);
  });
}
