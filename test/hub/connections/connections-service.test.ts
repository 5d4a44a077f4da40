/** Connections: who may write them, what is refused, and what is never returned. */
import t from 'tap';
import type { HubConnection } from '../../../src/contract/hubs/hubs-api.ts';
import { toCommandViews } from '../../../src/hub/upstream/commands/command-views.ts';
import { createHub, createHubPeople, readJson, readRefusal } from '../fixtures/hub-people.ts';

const path = '/api/v1/hubs/acme/connections';
const secret = 'a-very-secret-value-4711';
const header = { kind: 'header', header: 'X-Api-Key', value: secret };

t.test('a connection is added, visible to every member, changed and removed', async (t) => {
  const { api, ana, max, hub } = await createHubPeople(t);
  const input = { name: 'search', kind: 'http', url: 'https://Tools.example.com/mcp', credential: header };
  const created = await ana.ask('POST', path, input);
  t.equal(created.status, 201);
  const row: HubConnection = await created.json();
  t.match(row, {
    name: 'search',
    kind: 'http',
    url: 'https://tools.example.com/mcp',
    command: null,
    credential: { kind: 'header', header: 'X-Api-Key' },
    enabled: true,
    state: 'untried',
    last_error: null,
    created_by: 'Ana',
  });
  t.same((await readJson<{ items: unknown[] }>(max.ask('GET', path))).items, [row]);
  t.same(await readJson(max.ask('GET', `${path}/search`)), row);
  t.same(await readJson(max.ask('GET', `${path}/${row.connection_id}`)), row);
  t.match(await readJson(ana.ask('PUT', `${path}/search`, { name: 'find', enabled: false })), {
    name: 'find',
    enabled: false,
  });
  t.same(await api.hub.connectionRepository.listEnabled(hub.hub_id), [], 'the gateway sees only enabled connections');
  t.equal(await readRefusal(ana.ask('GET', `${path}/search`)), '404 CONNECTION_UNKNOWN');
  t.equal((await ana.ask('DELETE', `${path}/find`)).status, 204);
  t.same((await readJson<{ items: unknown[] }>(max.ask('GET', path))).items, []);
});

t.test('credentials are sealed, unsealed only for the gateway, and never returned', async (t) => {
  const { api, ana } = await createHubPeople(t);
  const url = 'https://tools.example.com/mcp';
  const row = await readJson<HubConnection>(
    ana.ask('POST', path, { name: 'a', kind: 'http', url, credential: header }),
  );
  const oauth = { kind: 'oauth', sharing: 'per_user', client_id: 'us', client_secret: secret, scope: 'tools' };
  const oauthRow = await readJson<HubConnection>(
    ana.ask('POST', path, { name: 'b', kind: 'sse', url, credential: oauth }),
  );
  t.same(oauthRow.credential, {
    kind: 'oauth',
    sharing: 'per_user',
    client_id: 'us',
    has_client_secret: true,
    scope: 'tools',
  });
  const { secrets } = api.hub.connectionRepository;
  t.same(await secrets.header(row.connection_id), { name: 'X-Api-Key', value: secret });
  t.equal(await secrets.clientSecret(oauthRow.connection_id), secret);
  t.equal(await secrets.clientSecret(row.connection_id), undefined, 'a header is not a client secret');
  t.equal(await secrets.header(oauthRow.connection_id), undefined);
  const bodies = await Promise.all(
    [`${path}`, `${path}/a`, `${path}/b`].map(async (listUrl) => (await ana.ask('GET', listUrl)).text()),
  );
  const rows = await api.control.database.read((sql) => sql.all('SELECT * FROM hub_connections'));
  const stored = JSON.stringify(rows, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
  t.notMatch([...bodies, stored, JSON.stringify(api.security), JSON.stringify(api.lines)].join(), secret);
  await api.control.database.write((sql) =>
    sql.run(
      "UPDATE hub_connections SET sealed = (SELECT sealed FROM hub_connections WHERE name = 'b') WHERE name = 'a'",
    ),
  );
  await t.rejects(secrets.header(row.connection_id), { code: 'INTERNAL' }, 'a value of another row cannot be unsealed');
});

t.test('a credential is not sent to another host after a change', async (t) => {
  const { api, ana } = await createHubPeople(t);
  const input = { name: 'a', kind: 'http', url: 'https://tools.example.com/mcp', credential: header };
  const row = await readJson<HubConnection>(ana.ask('POST', path, input));
  const refused = await ana.ask('PUT', `${path}/a`, { url: 'https://evil.example.net/mcp' });
  t.equal(refused.status, 422);
  t.match(await refused.json(), {
    code: 'CONNECTION_CREDENTIAL_NEEDED',
    detail: /tools\.example\.com.*evil\.example\.net/,
  });
  const port = await ana.ask('PUT', `${path}/a`, { url: 'https://tools.example.com:8443/mcp' });
  t.equal((await port.json()).code, 'CONNECTION_CREDENTIAL_NEEDED', 'another port is another server');
  t.match(await readJson(ana.ask('PUT', `${path}/a`, { url: 'https://tools.example.com/v2' })), {
    url: 'https://tools.example.com/v2',
  });
  t.same(await api.hub.connectionRepository.secrets.header(row.connection_id), { name: 'X-Api-Key', value: secret });
  await ana.ask('PUT', `${path}/a`, { url: 'https://other.example.net/', credential: { kind: 'none' } });
  t.equal(await api.hub.connectionRepository.secrets.header(row.connection_id), undefined);
});

t.test('OAuth state is stored per person, and removed with address, credential or membership', async (t) => {
  const { api, ana, max, ids } = await createHubPeople(t);
  const credential = { kind: 'oauth', sharing: 'per_user' };
  const input = { name: 'a', kind: 'http', url: 'https://tools.example.com/mcp', credential };
  const { connection_id: id } = await readJson<HubConnection>(ana.ask('POST', path, input));
  const { secrets } = api.hub.connectionRepository;
  const saveStates = async () => {
    for (const [person, text] of [
      [undefined, 'shared'],
      [ids.Ana, 'of ana'],
      [ids.Max, 'of max'],
    ])
      t.equal(await secrets.saveOauthState(id, person, text, { previous: undefined }), true);
  };
  const readStates = async () =>
    Promise.all([undefined, ids.Ana, ids.Max, ids.Vic].map((invalidHeader) => secrets.oauthState(id, invalidHeader)));
  await saveStates();
  t.same(await readStates(), ['shared', 'of ana', 'of max', undefined]);
  t.equal(await secrets.saveOauthState(id, ids.Ana, 'newer', { previous: 'of max' }), false, 'another state was read');
  t.equal(
    await secrets.saveOauthState(id, ids.Ana, 'newer', { previous: 'of ana', revision: 7 }),
    false,
    'another revision',
  );
  t.equal(await secrets.saveOauthState(id, ids.Ana, 'newer', { previous: 'of ana', revision: 1 }), true);
  t.same(await readStates(), ['shared', 'newer', 'of max', undefined]);
  const stored = await api.control.database.read((sql) => sql.all('SELECT * FROM hub_upstream_grants'));
  t.equal(stored.length, 3);
  t.notMatch(JSON.stringify(stored), 'of max');
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.same(await readStates(), ['shared', 'newer', undefined, undefined]);
  await ana.ask('PUT', `${path}/a`, { enabled: true });
  t.same(await readStates(), ['shared', 'newer', undefined, undefined]);
  await ana.ask('PUT', `${path}/a`, { url: 'https://tools.example.com/v2' });
  t.same(await readStates(), [undefined, undefined, undefined, undefined]);
  await secrets.saveOauthState(id, ids.Ana, 'again', { previous: undefined });
  await secrets.saveOauthState(id, ids.Ana, undefined, { previous: 'again' });
  t.equal(await secrets.oauthState(id, ids.Ana), undefined);
  await ana.ask('DELETE', `${path}/a`);
  await secrets.saveOauthState(id, ids.Ana, 'too late', { previous: undefined });
  t.equal(await secrets.oauthState(id, ids.Ana), undefined);
});

const refusedUrls: Readonly<Record<string, RegExp>> = {
  'nothing at all': /not an http/,
  'file:///etc/passwd': /not an http/,
  'javascript:alert(1)': /not an http/,
  'http://tools.example.com/mcp': /plain http/,
  'https://user:pw@tools.example.com/': /name or password/,
  'https://tools.example.com/#frag': /fragment/,
  'https://tools.example.com/?api_key=1': /contains a credential \(api_key\)/,
  'https://tools.example.com/?x=1&Access-Token=1': /contains a credential/,
  'https://127.0.0.1/mcp': /loopback/,
  'https://127.1/mcp': /loopback/,
  'https://0x7f000001/': /loopback/,
  'https://2130706433/': /loopback/,
  'https://localhost/': /loopback/,
  'https://LOCALHOST./': /loopback/,
  'https://[::1]/': /loopback/,
  'https://[::ffff:10.0.0.1]/': /private/,
  'https://192.168.1.5:8443/': /private/,
  'https://[fd00::1]/': /private/,
  'https://169.254.169.254/latest': /link-local/,
  'https://[::ffff:a9fe:a9fe]/': /link-local/,
  'https://0.0.0.0/': /reserved/,
};

t.test('addresses of private networks and addresses with secrets are refused in every notation', async (t) => {
  const { ana } = await createHubPeople(t);
  for (const [url, problem] of Object.entries(refusedUrls)) {
    const response = await ana.ask('POST', path, { name: 'a', kind: 'http', url });
    t.equal(response.status, 422, url);
    t.match(await response.json(), { code: 'CONNECTION_URL_REFUSED', detail: problem }, url);
  }
  await ana.ask('POST', path, { name: 'a', kind: 'http', url: 'https://tools.example.com/' });
  const changeResponse = await ana.ask('PUT', `${path}/a`, { url: 'https://169.254.169.254/' });
  t.equal((await changeResponse.json()).code, 'CONNECTION_URL_REFUSED');
});

t.test('addresses at which clouds publish credentials are refused where private networks are allowed', async (t) => {
  const { ana } = await createHubPeople(t, { hubSettings: { allowPrivateUpstreams: true } });
  for (const host of ['169.254.169.254', '100.100.100.200', '[fd00:ec2::254]', '168.63.129.16', '[::ffff:6464:64c8]'])
    t.equal(
      await readRefusal(ana.ask('POST', path, { name: 'metadata', kind: 'http', url: `http://${host}/mcp` })),
      '422 CONNECTION_URL_REFUSED',
      host,
    );
});

t.test('the operator can allow private networks and plain http, but never link-local addresses', async (t) => {
  const { ana } = await createHubPeople(t, { hubSettings: { allowPrivateUpstreams: true } });
  const add = async (name: string, url: string) => (await ana.ask('POST', path, { name, kind: 'http', url })).status;
  t.equal(await add('a', 'http://127.0.0.1:9000/mcp'), 201);
  t.equal(await add('b', 'http://tools.corp/mcp?set=all'), 201);
  t.equal(await add('c', 'http://[fd00::1]/mcp'), 201);
  t.equal(await add('d', 'http://169.254.169.254/mcp'), 422);
  t.equal(await add('e', 'http://0.0.0.0/mcp'), 422);
});

const stdioCommands = toCommandViews(
  new Map(['files', 'git'].map((name) => [name, { image: name, command: [] }])),
  false,
);

t.test('commands of the operator’s file are connected by owners of the control plane', async (t) => {
  const { ana, max, ids } = await createHubPeople(t, { hubSettings: { stdioCommands } });
  await ana.ask('PUT', `/api/v1/hubs/acme/members/${ids.Max}`, { role: 'owner' });
  const input = { name: 'files', kind: 'stdio', command: 'files' };
  t.equal(await readRefusal(max.ask('POST', path, input)), '403 CONNECTION_STDIO_REFUSED');
  t.match(await readJson(ana.ask('POST', path, input)), { kind: 'stdio', command: 'files', url: null });
  t.equal(await readRefusal(max.ask('PUT', `${path}/files`, { name: 'mine' })), '403 CONNECTION_STDIO_REFUSED');
  const unknownCommand = await ana.ask('POST', path, { name: 'sh', kind: 'stdio', command: '/bin/sh' });
  t.match(await unknownCommand.json(), { code: 'CONNECTION_INVALID', cure: /files, git/ });
  const invalidInputs = [
    { name: 'x', kind: 'stdio', url: 'https://tools.example.com/' },
    { name: 'x', kind: 'http', command: 'files' },
    { name: 'x', kind: 'http' },
    { name: 'x', kind: 'stdio', command: 'git', credential: header },
  ];
  for (const body of invalidInputs) t.equal(await readRefusal(ana.ask('POST', path, body)), '422 CONNECTION_INVALID');
});

t.test('names are valid tool prefixes, and reserved headers carry no credential', async (t) => {
  const { ana } = await createHubPeople(t, { hubSettings: { maxConnections: 2 } });
  const url = 'https://tools.example.com/';
  for (const name of ['A', 'a_b', 'a__b', '-a', 'a-', 'a--b', 'x'.repeat(25), 'é'])
    t.equal(await readRefusal(ana.ask('POST', path, { name, kind: 'http', url })), '422 CONNECTION_NAME_INVALID', name);
  const invalidHeaders = [
    { header: 'Host', value: 'x' },
    { header: 'Cookie', value: 'x' },
    { header: 'Mcp-Session-Id', value: 'x' },
    { header: 'X-Forwarded-For', value: 'x' },
    { header: 'Bad Name', value: 'x' },
    { header: 'X-Key', value: 'a\r\nX-Other: b' },
    { header: 'X-Key', value: ' a' },
    { header: 'X-Key', value: 'schlüssel' },
  ];
  for (const invalidHeader of invalidHeaders) {
    const response = await ana.ask('POST', path, {
      name: 'a',
      kind: 'http',
      url,
      credential: { kind: 'header', ...invalidHeader },
    });
    t.equal(response.status, 422, invalidHeader.header);
    t.match(await response.json(), { code: 'CONNECTION_INVALID' });
  }
  t.equal(
    (await ana.ask('POST', path, { name: 'a', kind: 'http', url, credential: { kind: 'header', header: 'A' } })).status,
    400,
  );
  const secretOnly = { kind: 'oauth', sharing: 'shared', client_secret: 's' };
  t.equal(
    await readRefusal(ana.ask('POST', path, { name: 'a', kind: 'http', url, credential: secretOnly })),
    '422 CONNECTION_INVALID',
  );
  t.equal((await ana.ask('POST', path, { name: 'a', kind: 'http', url })).status, 201);
  t.equal(await readRefusal(ana.ask('POST', path, { name: 'a', kind: 'http', url })), '409 CONNECTION_NAME_TAKEN');
  t.equal((await ana.ask('POST', path, { name: 'b', kind: 'http', url })).status, 201);
  t.equal(await readRefusal(ana.ask('PUT', `${path}/b`, { name: 'a' })), '409 CONNECTION_NAME_TAKEN');
  t.equal(await readRefusal(ana.ask('POST', path, { name: 'c', kind: 'http', url })), '409 HUB_LIMIT_REACHED');
});

t.test('two editors of a connection do not overwrite each other, alone or in several changes', async (t) => {
  const { ana } = await createHubPeople(t);
  const url = 'https://tools.example.com/';
  const row = await readJson<HubConnection>(ana.ask('POST', path, { name: 'a', kind: 'http', url }));
  t.equal(row.revision, 1);
  const first = await readJson<HubConnection>(ana.ask('PUT', `${path}/a`, { enabled: false, if_revision: 1 }));
  t.match(first, { enabled: false, revision: 2 });
  const outdated = { name: 'b', if_revision: 1 };
  t.equal(await readRefusal(ana.ask('PUT', `${path}/a`, outdated)), '409 CONNECTION_REVISION_OTHER');
  const change = { kind: 'change_connection', connection_id: row.connection_id, connection: outdated };
  t.match(await readRefusal(ana.ask('POST', '/api/v1/hubs/acme/changes', { changes: [change] })), /^409 /);
  t.match(await readJson(ana.ask('GET', `${path}/a`)), { name: 'a', revision: 2 });
  t.match(await readJson(ana.ask('PUT', `${path}/a`, { name: 'b', if_revision: 2 })), { name: 'b', revision: 3 });
  t.match(await readJson(ana.ask('PUT', `${path}/b`, { name: 'c' })), { name: 'c' }, 'without a revision, as before');
});

t.test('the gateway is notified of changes and records the outcome of calls', async (t) => {
  const { api, ana, max, hub } = await createHubPeople(t);
  await createHub(ana, 'other');
  const notifiedHubs: string[] = [];
  const stopListening = api.hub.connectionRepository.onChange((hubId) => notifiedHubs.push(hubId));
  const url = 'https://tools.example.com/';
  const row = await readJson<HubConnection>(ana.ask('POST', path, { name: 'a', kind: 'http', url }));
  await api.hub.connectionRepository.recordState(row.connection_id, 'failing', `refused ${'x'.repeat(1000)}`);
  const displayed = await readJson<HubConnection>(max.ask('GET', `${path}/a`));
  t.match(displayed, { state: 'failing', last_error: /^refused x+$/, last_tried_at: String });
  t.equal(displayed.last_error?.length, 500);
  await api.hub.connectionRepository.recordState(row.connection_id, 'connected', undefined);
  t.match(await readJson(max.ask('GET', `${path}/a`)), { state: 'connected', last_error: null });
  t.match(await api.hub.connectionRepository.find(row.connection_id), {
    hubId: hub.hub_id,
    name: 'a',
    revision: 1,
    state: 'connected',
  });
  t.match(await readJson(ana.ask('PUT', `${path}/a`, { enabled: true })), { state: 'untried' });
  t.match(await api.hub.connectionRepository.listEnabled(hub.hub_id), [{ revision: 2, credential: { kind: 'none' } }]);
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.same(notifiedHubs, [hub.hub_id, hub.hub_id, hub.hub_id], 'added, changed, left');
  stopListening();
  await ana.ask('DELETE', `${path}/a`);
  t.equal(notifiedHubs.length, 3);
  t.equal(await api.hub.connectionRepository.find(row.connection_id), undefined);
  await api.hub.connectionRepository.recordState(row.connection_id, 'failing', 'too late');
});
