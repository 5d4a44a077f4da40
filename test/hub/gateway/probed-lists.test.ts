/** Which open servers read their lists again after a probe. */
import t from 'tap';
import { CachedList } from '../../../src/hub/upstream/lists/cached-list.ts';
import { createUpstreamLists } from '../../../src/hub/upstream/lists/upstream-lists.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';

const personalSignIn = { kind: 'oauth', sharing: 'per_user', clientId: undefined, scope: undefined } as const;

/** Returns whose lists were invalidated by a probe of Ana's that found other tools. */
async function probeAsAna(
  t: Parameters<typeof startTestGateway>[0],
  credential: { kind: 'none' } | typeof personalSignIn,
) {
  const { gateway } = await startTestGateway(t, []);
  const connection = createConnection('tools', 'http://127.0.0.1:9/mcp', { credential });
  const invalidated = new Set<string>();
  for (const person of ['ana', 'max']) {
    const server = gateway.upstreams.get(connection, person);
    await server.lists.tools.get(5000);
    server.invalidateList = () => void invalidated.add(person);
  }
  const source = {
    connection,
    capabilities: async () => ({}),
    getMask: () => (json: string) => json,
    send: async () => ({}),
  };
  const clock = fakeClock();
  const tools = new CachedList(clock, async () => ({ items: [], ttlMs: undefined }));
  await tools.get(1000);
  await gateway.catalogue.recordProbe({ connection, lists: { ...createUpstreamLists(source, clock), tools } }, 'ana');
  return [...invalidated];
}

t.test('with personal sign-ins a probe invalidates only the lists of the person who probed', async (t) => {
  t.same(await probeAsAna(t, personalSignIn), ['ana']);
});

t.test('with a shared credential it invalidates the lists of all', async (t) => {
  t.same(await probeAsAna(t, { kind: 'none' }), ['max'], 'both have the same server, which was named last');
});
