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
    location: new URL(origin),
    fetch: async (url: string, { headers }: { headers: Record<string, string> }) => {
      requests.push({ path: new URL(url, origin).pathname, proof: headers['X-VP-Proof'] });
      return Response.json(instances);
    },
  });
  await import('../../../src/console/page-start.ts');
  t.same(requests, [
    { path: '/api/v1/session', proof: 'proof-1' },
    { path: '/api/v1/instances', proof: 'proof-1' },
  ]);
  const client = createConsoleClient(origin);
  t.match(await client.instances.list(), instances.items);
  t.equal(requests.length, 2, 'the early answer was used');
  await client.instances.list();
  t.equal(requests.length, 3, 'only once');
  storeProof('proof-2');
  await client.identity.whoami().catch(() => undefined);
  t.same(requests.slice(3), [{ path: '/api/v1/session', proof: 'proof-2' }]);
});
