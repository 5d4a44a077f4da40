import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { createKeyFingerprint, openReplicaKey } from '../../src/replicas/master-key.ts';
import { prepareElection, saveKeyFingerprint } from '../../src/store/postgres/election.ts';
import { skipWithoutPostgres as skip } from '../postgres/programs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';

async function openElection(t: Test): Promise<pg.Client> {
  const { url } = await createTestDatabase(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  await prepareElection(client);
  // The tables exist: the right to create them is not needed any more.
  await prepareElection(client);
  return client;
}

const createKey = (): string => randomBytes(32).toString('base64');

t.test('the first replica of a new store creates the key, and others must have the same', { skip }, async (t) => {
  const client = await openElection(t);
  const folders = t.testdir({ first: {}, second: {} });
  const first = await openReplicaKey(client, { folder: join(folders, 'first'), variable: undefined }, systemRandom);
  const second = { folder: join(folders, 'second'), variable: undefined };
  await t.rejects(openReplicaKey(client, second, systemRandom), { code: 'REPLICA_KEY_MISSING' });
  t.same(readdirSync(second.folder), [], 'no key of its own was created');
  const other = { ...second, variable: createKey() };
  await t.rejects(openReplicaKey(client, other, systemRandom), { code: 'REPLICA_KEY_DIFFERENT' });
  writeFileSync(join(second.folder, 'master.key'), Buffer.from(first).toString('base64'), { mode: 0o600 });
  t.same(await openReplicaKey(client, second, systemRandom), first);
});

t.test('two replicas that create keys at the same time do not both start', { skip }, async (t) => {
  const { url } = await createTestDatabase(t);
  const folders = t.testdir({ a: {}, b: {} });
  const results = await Promise.allSettled(
    ['a', 'b'].map(async (name) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      t.teardown(() => client.end());
      await prepareElection(client);
      return openReplicaKey(client, { folder: join(folders, name), variable: undefined }, systemRandom);
    }),
  );
  const failed = results.filter(({ status }) => status === 'rejected');
  t.equal(failed.length, 1);
});

t.test('a store that was moved here is not claimed by a key that has not opened it', { skip }, async (t) => {
  const client = await openElection(t);
  await client.query('CREATE SCHEMA vp_control; CREATE TABLE vp_control.data_keys (id int)');
  const folder = t.testdir();
  await t.rejects(openReplicaKey(client, { folder, variable: undefined }, systemRandom), {
    code: 'REPLICA_KEY_MISSING',
  });
  const [right, wrong] = [createKey(), createKey()];
  await openReplicaKey(client, { folder, variable: wrong }, systemRandom);
  const key = await openReplicaKey(client, { folder, variable: right }, systemRandom);
  await saveKeyFingerprint(client, createKeyFingerprint(key));
  await t.rejects(openReplicaKey(client, { folder, variable: wrong }, systemRandom), { code: 'REPLICA_KEY_DIFFERENT' });
});
