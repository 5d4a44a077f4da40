/** The servers of a hub connect when it is first used, not when each of them is first called. */
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { UpstreamConnection } from '../../../src/hub/connections/connection.ts';
import { ConnectionPreparer } from '../../../src/hub/gateway/connection-preparer.ts';
import { CachedList } from '../../../src/hub/upstream/lists/cached-list.ts';
import type { UpstreamServer } from '../../../src/hub/upstream/upstream-server.ts';
import { eventually } from '../../eventually.ts';
import { createConnection } from '../fixtures/test-gateway.ts';

function openPreparer(connections: readonly UpstreamConnection[]) {
  const listed: string[] = [];
  const open = new Map<string, PromiseWithResolvers<void>>();
  const state = { reads: 0, maxOpen: 0, fails: false };
  const get = (connection: UpstreamConnection): UpstreamServer => {
    const fetchTools = async () => {
      listed.push(connection.name);
      const answer = Promise.withResolvers<void>();
      open.set(connection.name, answer);
      state.maxOpen = Math.max(state.maxOpen, open.size);
      await answer.promise.finally(() => open.delete(connection.name));
      return { items: [], ttlMs: undefined };
    };
    return Object.assign(Object.create(null), { lists: { tools: new CachedList(systemClock, fetchTools) } });
  };
  const preparer = new ConnectionPreparer({
    connectionRepository: {
      async listEnabled() {
        state.reads += 1;
        if (state.fails) throw new Error('the store is busy');
        return connections;
      },
    },
    upstreams: { get },
    listTimeoutMs: 60_000,
  });
  t.teardown(() => preparer.close());
  return { preparer, listed, open, state };
}

t.test('eight servers at a time, once, whether they answer or not', async (t) => {
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const { preparer, listed, open, state } = openPreparer(names.map((name) => createConnection(name, 'http://x')));
  preparer.prepare('h1');
  preparer.prepare('h1');
  t.ok(await eventually(() => listed.length === 8));
  open.get('s0')?.reject(new Error('away'));
  for (const name of names)
    await eventually(() => open.get(name) ?? listed.includes(name)).then(() => open.get(name)?.resolve());
  t.ok(await eventually(() => open.size <= 1));
  t.same(listed.toSorted(), names.toSorted());
  t.equal(state.reads, 1);
  t.equal(state.maxOpen, 8);
});

t.test('servers with a sign-in for each person wait for that person', async (t) => {
  const oauth = { kind: 'oauth', clientId: undefined, scope: undefined } as const;
  const { preparer, listed, open } = openPreparer([
    createConnection('mine', 'http://x', { credential: { ...oauth, sharing: 'per_user' } }),
    createConnection('ours', 'http://x'),
  ]);
  preparer.prepare('h1');
  t.ok(await eventually(() => open.size === 1));
  t.same(listed, ['ours']);
  open.get('ours')?.resolve();
});

t.test('a hub whose connections cannot be read is prepared at its next use', async (t) => {
  const { preparer, listed, open, state } = openPreparer([createConnection('s', 'http://x')]);
  state.fails = true;
  preparer.prepare('h1');
  t.ok(await eventually(() => state.reads === 1));
  state.fails = false;
  t.ok(
    await eventually(() => {
      preparer.prepare('h1');
      return listed.length === 1;
    }),
  );
  open.get('s')?.resolve();
});
