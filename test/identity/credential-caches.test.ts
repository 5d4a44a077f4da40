/** What is known of credentials is forgotten with each write of them. */
import t from 'tap';
import { createCredentialCaches } from '../../src/identity/credential-caches.ts';
import { fakeClock } from '../environment/fake-clock.ts';

function createCaches(write: () => Promise<unknown>) {
  let reads = 0;
  const database = {
    read: async (operation: (sql: never) => unknown) => operation(undefined as never),
    write,
    getForeignVersion: () => 0,
  } as unknown as Parameters<typeof createCredentialCaches>[0];
  const caches = createCredentialCaches(database, fakeClock());
  const find = caches.createCache<string>();
  const look = () =>
    find('key', () => {
      reads += 1;
      return 'Ana';
    });
  return { caches, look, readCount: () => reads };
}

t.test('a credential is read once until something is written', async (t) => {
  const { caches, look, readCount } = createCaches(async () => undefined);
  for (let time = 0; time < 3; time += 1) t.equal(await look(), 'Ana');
  t.equal(readCount(), 1);
  await caches.database.write(() => undefined);
  await look();
  t.equal(readCount(), 2);
});

t.test('a write that failed may have been committed: the caches are emptied, and listeners are called', async (t) => {
  const { caches, look, readCount } = createCaches(async () => {
    throw new Error('the outcome is unknown');
  });
  let notices = 0;
  caches.onWritten(() => {
    notices += 1;
  });
  await look();
  await t.rejects(
    caches.database.write(() => undefined),
    { message: 'the outcome is unknown' },
  );
  t.equal(notices, 1);
  await look();
  t.equal(readCount(), 2);
});
