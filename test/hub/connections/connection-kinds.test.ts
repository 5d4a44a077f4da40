/** Kinds of connections: memory next to servers and commands, and records from before memory existed. */
import { join } from 'node:path';
import t from 'tap';
import type { HubConnection } from '../../../src/contract/hubs/hubs-api.ts';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import { definitionPinsMigration } from '../../../src/store/control/schema/definition-pins.ts';
import { hubConnectionKindsMigration } from '../../../src/store/control/schema/hub-connection-kinds.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { createHub, createHubPeople, readJson, readRefusal } from '../fixtures/hub-people.ts';

const path = '/api/v1/hubs/acme/connections';

t.test('a hub has at most one connection to memory, without address and credential', async (t) => {
  const { ana } = await createHubPeople(t);
  const created = await readJson<HubConnection>(ana.ask('POST', path, { name: 'memory', kind: 'memory' }));
  t.match(created, {
    kind: 'memory',
    url: null,
    command: null,
    credential: { kind: 'none' },
    // It needs no attempt: it is a part of the control plane.
    state: 'connected',
    warning: null,
    sign_in: null,
  });
  t.match(await readJson(ana.ask('PUT', `${path}/memory`, { name: 'notes' })), { name: 'notes', kind: 'memory' });
  const second = await ana.ask('POST', path, { name: 'more', kind: 'memory' });
  t.equal(second.status, 409);
  t.match(await second.json(), { code: 'CONNECTION_MEMORY_THERE', detail: /notes/ });
  await ana.ask('DELETE', `${path}/notes`);
  const header = { kind: 'header', header: 'X-Api-Key', value: 'secret' };
  for (const invalidFields of [{ url: 'https://tools.example.com/' }, { command: 'files' }, { credential: header }])
    t.equal(
      await readRefusal(ana.ask('POST', path, { name: 'm', kind: 'memory', ...invalidFields })),
      '422 CONNECTION_INVALID',
    );
  t.equal((await ana.ask('POST', path, { name: 'm', kind: 'memory' })).status, 201);
  await createHub(ana, 'other');
  t.equal((await ana.ask('POST', '/api/v1/hubs/other/connections', { name: 'm', kind: 'memory' })).status, 201);
});

t.test('an owner chooses the protocol of a connection that can have several', async (t) => {
  const { ana } = await createHubPeople(t);
  const url = 'https://tools.example.com/mcp';
  t.match(await readJson(ana.ask('POST', path, { name: 'a', kind: 'http', url })), { protocol: 'auto' });
  t.match(await readJson(ana.ask('PUT', `${path}/a`, { protocol: 'older' })), { protocol: 'older' });
  t.match(await readJson(ana.ask('PUT', `${path}/a`, { enabled: false })), { protocol: 'older' }, 'it is unchanged');
  t.match(await readJson(ana.ask('POST', path, { name: 'b', kind: 'http', url, protocol: 'newest' })), {
    protocol: 'newest',
  });
  for (const invalid of [
    { kind: 'sse', url, protocol: 'newest' },
    { kind: 'memory', protocol: 'older' },
  ])
    t.equal(await readRefusal(ana.ask('POST', path, { name: 'c', ...invalid })), '422 CONNECTION_INVALID');
  t.equal((await ana.ask('PUT', `${path}/a`, { protocol: '2025-06-18' })).status, 400);
});

const olderRecords = `
INSERT INTO people VALUES ('p', 'Ana', 'a@x', 'a@x', 'owner', '', 0, NULL);
INSERT INTO hubs VALUES ('h', 'acme', 'Acme', 0, 'Ana');
INSERT INTO hub_connections (id, hub_id, name, kind, url, credential, sharing, sealed, revision, created_at_ms, created_by)
  VALUES ('c', 'h', 'a', 'http', 'https://tools.example.com/', 'oauth', 'shared', x'01', 4, 0, 'Ana');
INSERT INTO hub_connections (id, hub_id, name, kind, command, credential, created_at_ms, created_by)
  VALUES ('d', 'h', 'b', 'stdio', 'files', 'none', 0, 'Ana');
INSERT INTO hub_upstream_grants VALUES ('c', NULL, x'02', 5);
INSERT INTO hub_upstream_grants VALUES ('c', 'p', x'03', 6);
INSERT INTO hub_tool_pins VALUES ('c', 'echo', 'text', 'digest', NULL, NULL, '[]', 7, NULL, 'Ana');
`;

t.test('connections of an older store keep their sign-ins and approvals, and delete them on removal', async (t) => {
  const file = join(t.testdir(), 's.db');
  const olderMigrations = controlStoreKind.migrations.slice(
    0,
    controlStoreKind.migrations.indexOf(hubConnectionKindsMigration),
  );
  await openDatabase({
    file,
    createKind: { ...controlStoreKind, migrations: [...olderMigrations, olderRecords] },
  }).close();
  const migrations = [...olderMigrations, olderRecords, hubConnectionKindsMigration, definitionPinsMigration];
  const database = openDatabase({ file, createKind: { ...controlStoreKind, migrations } });
  t.teardown(() => database.close());
  const selectAll = (text: string) => database.read((sql) => sql.all(text));
  t.match(await selectAll('SELECT * FROM hub_connections ORDER BY id'), [
    { id: 'c', kind: 'http', sealed: Buffer.from([1]), revision: 4, warning: null, created_by: 'Ana' },
    { id: 'd', kind: 'stdio', command: 'files', url: null },
  ]);
  t.match(await selectAll('SELECT * FROM hub_upstream_grants ORDER BY written_at_ms'), [
    { connection_id: 'c', person_id: null, sealed: Buffer.from([2]) },
    { connection_id: 'c', person_id: 'p', sealed: Buffer.from([3]) },
  ]);
  t.match(await selectAll('SELECT * FROM hub_definition_pins'), [
    { connection_id: 'c', kind: 'tool', name: 'echo', approved_by: 'Ana', seen_at_ms: 7 },
  ]);
  t.same(await selectAll('PRAGMA foreign_key_check'), []);
  await database.write((sql) => sql.run("DELETE FROM hub_connections WHERE id = 'c'"));
  t.same(await selectAll('SELECT * FROM hub_upstream_grants'), []);
  t.same(await selectAll('SELECT * FROM hub_definition_pins'), []);
});
