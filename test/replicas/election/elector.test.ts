import pg from 'pg';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { VpError } from '../../../src/errors/vp-error.ts';
import { ElectionConnection } from '../../../src/replicas/election/election-connection.ts';
import { Elector } from '../../../src/replicas/election/elector.ts';
import { defaultElectionTimings as timings } from '../../../src/replicas/election/timings.ts';
import { prepareElection, readElection } from '../../../src/store/postgres/election.ts';
import { createElectionSession, type ElectionSession } from '../../../src/store/postgres/election-session.ts';
import { eventually } from '../../eventually.ts';
import { skipWithoutPostgres as skip } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

async function openSession(databaseUrl: string): Promise<ElectionSession> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const server = { isPooled: false };
  return createElectionSession({ client, server, describeError: (error) => error as VpError });
}

t.test('whoever sees that a replica is active sees its address as well', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const observer = await openSession(databaseUrl);
  await prepareElection(observer);
  const views: { readonly activeId: string | undefined; readonly address: string | undefined }[] = [];
  // After every statement of the replica, as another one would that looks at this very moment.
  const connect = async (): Promise<ElectionSession> => {
    const session = await openSession(databaseUrl);
    return {
      ...session,
      async query(text, values) {
        const result = await session.query(text, values);
        const { activeId, address } = await readElection(observer);
        views.push({ activeId, address });
        return result;
      },
    };
  };
  const connection = new ElectionConnection({ connect, clock: systemClock, stepMs: timings.stepMs });
  const elector = new Elector({
    ...{ connection, clock: systemClock, timings, canStand: () => true },
    replica: { id: 'a', version: '1.0.0', address: 'http://127.0.0.1:1' },
    ...{ onActive: () => undefined, onLost: () => undefined, onChange: () => undefined },
    onError: (error) => t.fail(String(error)),
  });
  t.teardown(async () => {
    await elector.close();
    await observer.close();
  });
  await elector.start();
  await eventually(() => elector.view.replicas.length === 1);
  const active = views.filter(({ activeId }) => activeId === 'a');
  t.ok(active.length > 0);
  t.same(
    active.filter(({ address }) => address === undefined),
    [],
  );
});
