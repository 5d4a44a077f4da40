/** The rows of the election. Replicas write several times a second, and some backups and slots hold the horizon of PostgreSQL for days. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { renewTerm, takeOver } from '../../../src/store/postgres/active-term.ts';
import { type ElectionClient, prepareElection, readElection } from '../../../src/store/postgres/election.ts';
import { listLiveReplicas, saveHeartbeat } from '../../../src/store/postgres/heartbeats.ts';
import { eventually } from '../../eventually.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

const replica = { id: 'one', address: 'http://127.0.0.1:1', version: '1' };
const [expiryMs, silentMs] = [60_000, 60_000];

async function connect(t: Test, url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

/** Counts the pages of what is sent; each statement is executed once more for that. */
function countPages(client: pg.Client): ElectionClient & { pages: number } {
  const counting = {
    pages: 0,
    async query(text: string, values: unknown[] = []) {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
      const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
      counting.pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      return await client.query(text, values);
    },
  };
  return counting;
}

t.test('what the election reads does not grow while the horizon is held', { skip: skipWithoutPostgres }, async (t) => {
  const { url } = await createTestDatabase(t);
  const [holder, client] = [await connect(t, url), await connect(t, url)];
  await prepareElection(client);
  await takeOver(client, replica, await readElection(client), expiryMs);
  const { epoch } = await readElection(client);
  const step = async (election: ElectionClient): Promise<void> => {
    t.ok(await renewTerm(election, replica, { epoch, sessionPid: undefined }));
    await saveHeartbeat(election, replica, 0);
  };
  const look = async (): Promise<number> => {
    const counting = countPages(client);
    await step(counting);
    t.match(await readElection(counting), { activeId: 'one', isExpired: false });
    t.match(await listLiveReplicas(counting, silentMs), [{ id: 'one' }]);
    return counting.pages;
  };
  const work = async (steps: number): Promise<void> => {
    await client.query('SET synchronous_commit TO off');
    for (let done = 0; done < steps; done += 1) await step(client);
  };
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM vp.replicas');
  await work(300);
  const before = await look();
  await work(600);
  const after = await look();
  t.ok(after <= before + 10, `${after} pages after 900 steps, ${before} after 300`);
  const { rows } = await client.query('SELECT count(*)::int AS count FROM vp.heartbeats');
  t.ok(rows[0].count <= 610, 'old heartbeats are removed');
});

t.test(
  'a replica that waits while another one prepares the election changes nothing',
  {
    skip: skipWithoutPostgres,
  },
  async (t) => {
    const { url, query } = await createTestDatabase(t);
    const [first, second] = [await connect(t, url), await connect(t, url)];
    const isWaiting = () =>
      query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()");
    const texts: string[] = [];
    const recording: ElectionClient = {
      query(text, values) {
        texts.push(text);
        return second.query(text, values);
      },
    };
    const holding: ElectionClient = {
      async query(text, values) {
        if (text === 'COMMIT') await eventually(isWaiting, { until: (rows) => rows.length > 0 });
        return await first.query(text, values);
      },
    };
    let other: Promise<void> | undefined;
    await prepareElection({
      async query(text, values) {
        const result = await holding.query(text, values);
        if (text.includes('pg_advisory_xact_lock')) other = prepareElection(recording);
        return result;
      },
    });
    await other;
    t.ok(texts.some((text) => text.includes('pg_advisory_xact_lock')));
    t.same(
      texts.filter((text) => /CREATE|ALTER/.test(text)),
      [],
    );
  },
);

t.test('a takeover and a renewal at the same time have one winner', { skip: skipWithoutPostgres }, async (t) => {
  const { url } = await createTestDatabase(t);
  const [renewing, taking] = [await connect(t, url), await connect(t, url)];
  await prepareElection(renewing);
  await takeOver(renewing, replica, await readElection(renewing), expiryMs);
  for (let round = 0; round < 60; round += 1) {
    const seen = await readElection(taking);
    const holder = seen.activeId ?? '';
    const next = { id: `${round}` };
    const [renewal, takeover] = await Promise.all([
      renewTerm(renewing, { id: holder }, { epoch: seen.epoch, sessionPid: undefined }),
      takeOver(taking, next, seen, expiryMs),
    ]);
    // The one that came later has seen the other.
    t.equal(renewal === undefined, takeover.kind === 'active', `round ${round}: ${takeover.kind}`);
  }
});

t.test('a takeover that waits for a renewal comes too late', { skip: skipWithoutPostgres }, async (t) => {
  const { url, query } = await createTestDatabase(t);
  const [renewing, taking] = [await connect(t, url), await connect(t, url)];
  await prepareElection(renewing);
  await takeOver(renewing, replica, await readElection(renewing), expiryMs);
  const seen = await readElection(taking);
  await renewing.query('BEGIN');
  await renewing.query('SELECT FROM vp.active_replica FOR SHARE');
  const takeover = takeOver(taking, { id: 'two' }, seen, expiryMs);
  await eventually(
    () => query("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"),
    {
      until: (rows) => rows.length > 0,
    },
  );
  t.ok(await renewTerm(renewing, replica, { epoch: seen.epoch, sessionPid: undefined }));
  await renewing.query('COMMIT');
  t.same(await takeover, { kind: 'late' });
});

t.test(
  'replicas that are silent are forgotten, and those that live are not',
  { skip: skipWithoutPostgres },
  async (t) => {
    const { url, query } = await createTestDatabase(t);
    const client = await connect(t, url);
    await prepareElection(client);
    const dayMs = 86_400_000;
    await saveHeartbeat(client, { ...replica, id: 'gone' }, 2 * dayMs);
    await query('ALTER SEQUENCE vp.heartbeats_number_seq RESTART WITH 10000');
    await saveHeartbeat(client, replica, 3 * dayMs);
    const [listed, ...others] = await listLiveReplicas(client, silentMs);
    t.same(others, []);
    t.equal(listed?.id, 'one');
    t.ok((listed?.heartbeatMs ?? 0) - (listed?.startedMs ?? 0) >= 3 * dayMs, 'its start stays as it was');
    t.same(await query('SELECT id FROM vp.replicas'), [{ id: 'one' }]);
    await saveHeartbeat(client, { ...replica, id: 'gone' }, 2 * dayMs);
    t.equal((await listLiveReplicas(client, silentMs)).length, 2, 'one that comes back is listed again');
  },
);
