/** Requests of the script before all others, and who gets the answers. */
import t from 'tap';
import { createConsoleClient } from '../../../src/console/session/client.ts';
import { storeProof } from '../../../src/console/session/credential.ts';

const origin = 'http://localhost:7700';
const instances = { items: [{ instance_id: 'shop' }], next_cursor: null };

t.test('what was asked for early is used once, and not with another credential', async (t) => {
  const requests: { path: string; proof: string | undefined }[] = [];
  const values = new Map([['vp.proof', 'proof-1']]);
  Object.assign(globalThis, {
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    localStorage: {
      getItem: (name: string) => values.get(name) ?? null,
      setItem: (name: string, value: string) => void values.set(name, value),
    },
    location: new URL(`${origin}/instances/shop/suites`),
    document: {},
    fetch: async (url: string, { headers }: { headers: Record<string, string> }) => {
      const { pathname, search } = new URL(url, origin);
      requests.push({ path: `${pathname}${search}`, proof: headers['X-VP-Proof'] });
      return Response.json(instances);
    },
  });
  await import('../../../src/console/page-start.ts');
  const early = ['/session', '/instances/shop/suites?limit=25', '/instances', '/hubs'];
  t.same(
    requests,
    early.map((path) => ({ path: `/api/v1${path}`, proof: 'proof-1' })),
  );
  const client = createConsoleClient(origin);
  t.match(await client.instances.list(), instances.items);
  t.equal(requests.length, 4, 'the early answer was used');
  await client.instances.list();
  t.equal(requests.length, 5, 'only once');
  const { now } = performance;
  performance.now = () => 10_001;
  await client.hubs.list();
  t.match(requests.slice(5), [{ path: '/api/v1/hubs' }], 'not when it is old');
  performance.now = now;
  storeProof('proof-2');
  await client.identity.whoami().catch(() => undefined);
  t.same(requests.slice(6), [{ path: '/api/v1/session', proof: 'proof-2' }]);
});
