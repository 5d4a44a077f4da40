/** Calls without a credential are limited by network: whoever has an IPv6 /64 has 2⁶⁴ addresses. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { createOAuthHandler } from '../../../src/server/oauth/oauth-handler.ts';
import { createServices } from '../../../src/server/services.ts';
import { startRegistryServer } from '../registry/registry-server.ts';
import { createRequest, createVariantServer, origin, startTestServer } from '../test-server.ts';

const addresses = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:DB8:1:2:ffff::3', '2001:db8:1:2:0:0:0:4'];

/** The first call of another network is never limited. */
const otherAddress = '2001:db8:9::1';

t.test('open routes limit the addresses of one /64 together', async (t) => {
  const server = createVariantServer(await startTestServer(t), { callRates: { open: 3 } });
  const lookUp = async (address: string): Promise<number> => {
    const request = createRequest('POST', '/api/v1/invitations/look-up', { secret: 'x'.repeat(43) }, null);
    return (await server.fetch(request, { address, requestId: systemRandom.token(6) })).status;
  };
  const limited: boolean[] = [];
  for (const address of [...addresses, otherAddress]) limited.push((await lookUp(address)) === 429);
  t.same(limited, [false, false, false, true, false]);
  t.match(
    server.security.filter(({ event }) => event === 'calls_limited'),
    [{ network: '2001:db8:1:2::/64' }],
  );
});

t.test('the OAuth server limits the addresses of one /64 together', async (t) => {
  const call = await startOAuthHandler(t, 3);
  t.same([...addresses, otherAddress].map(call), [200, 200, 200, 429, 200]);
});

t.test('an IPv4 address is the same in its IPv6 notation', async (t) => {
  const call = await startOAuthHandler(t, 1);
  t.same(['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'].map(call), [200, 429, 200]);
});

t.test('the registry limits the addresses of one /64 together', async (t) => {
  const server = await startRegistryServer(t, { readsPerMinute: 3 });
  const statuses: number[] = [];
  for (const address of [...addresses, otherAddress]) {
    const request = createRequest('GET', '/v0.1/servers', undefined, null);
    statuses.push((await server.fetch(request, { address, requestId: systemRandom.token(6) })).status);
  }
  t.same(
    statuses.map((status) => status === 429),
    [false, false, false, true, false],
  );
});

/** Returns the status of a call from `address`; the OAuth server behind the limit accepts everything. */
async function startOAuthHandler(t: Test, limit: number): Promise<(address: string) => number> {
  const { control, identity, hub } = await startTestServer(t);
  const unopened = Object.create(null);
  const services = createServices(
    {
      ...{
        control,
        identity,
        hub,
        hubGateway: unopened,
        memory: unopened,
        registry: unopened,
        notifications: unopened,
      },
      ...{ clock: systemClock, random: systemRandom, log: unopened, version: '0.4.0', publicUrl: origin },
      callRates: { oauth: limit },
    },
    [],
  );
  const oauth = { handle: (_: IncomingMessage, outgoing: ServerResponse) => void outgoing.writeHead(200).end() };
  const handler = createOAuthHandler(oauth, services.oauthCallLimiter);
  return (address) => {
    const incoming = new IncomingMessage(new Socket());
    const outgoing = new ServerResponse(incoming);
    const context = { address, requestId: 'r1', closing: new AbortController().signal, headers: [], respond: () => {} };
    handler.handle(incoming, outgoing, context);
    return outgoing.statusCode;
  };
}
