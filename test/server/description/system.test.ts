import t from 'tap';
import type { SystemReplica } from '../../../src/contract/system-api.ts';
import type { StoreState } from '../../../src/store/store-state.ts';
import { skipOnPostgres } from '../../store/engine-under-test.ts';
import { createBrowser, inviteMember, setUpOwner } from '../test-browser.ts';
import { createVariantServer, startTestServer } from '../test-server.ts';

const path = '/api/v1/system';

t.test(
  'owners read the engine of the store; with SQLite there are no replicas',
  { skip: skipOnPostgres },
  async (t) => {
    const { ask } = await startTestServer(t);
    t.same(await (await ask('GET', path)).json(), {
      version: '0.4.0',
      store: { engine: 'sqlite', server_version: null },
      replication: null,
    });
  },
);

t.test('with PostgreSQL they read its version, and the replicas with their addresses', async (t) => {
  const real = await startTestServer(t);
  const getStoreState = (): StoreState => ({
    ...{ engine: 'postgresql', version: '15.9', isPooled: true, notices: 'polling' },
    connections: { used: 1, open: 2, waiting: 0 },
  });
  const replica = {
    version: '0.4.0',
    started_at: '2026-11-24T04:00:00.000Z',
    heartbeat_at: '2026-11-24T04:30:00.000Z',
  };
  const replicas: SystemReplica[] = [
    { ...replica, id: 'east-1', role: 'active', address: 'http://10.0.0.5:7700' },
    { ...replica, id: 'west-2', role: 'standby', address: 'http://10.0.0.6:7700' },
  ];
  const { control } = real;
  const api = createVariantServer(real, {
    control: { ...control, gauges: { ...control.gauges, getStoreState } },
    getReplica: () => ({ id: 'east-1', role: 'active', epoch: 7, live: 2, active: 'east-1' }),
    listReplicas: () => replicas,
  });
  t.same(await (await api.ask('GET', path)).json(), {
    version: '0.4.0',
    store: {
      ...{ engine: 'postgresql', server_version: '15.9', connection: 'pooled', notices: 'polling' },
      connections: { used: 1, open: 2, waiting: 0 },
    },
    replication: { id: 'east-1', epoch: 7, replicas },
  });
  const open = await (await api.ask('GET', '/readyz', undefined, null)).text();
  t.notMatch(open, /10\.0\.0|15\.9/, 'anyone may read /readyz, so it has neither addresses nor versions');
});

t.test('members and callers without a credential do not read it', async (t) => {
  const api = await startTestServer(t);
  const owner = await setUpOwner(api);
  t.equal((await owner.ask('GET', path)).status, 200);
  t.equal((await createBrowser(api).ask('GET', path)).status, 401);
  const member = await inviteMember(api, owner, 'Ben', 'member');
  t.equal((await member.ask('GET', path)).status, 403);
});
