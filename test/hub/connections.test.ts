/** Records of connections: who writes them, what is refused, and what never comes back out. */
import t from 'tap';
import type { HubConnection } from '../../src/contract/hub-api.ts';
import { shownCommands } from '../../src/hub/upstream/shown-commands.ts';
import { hubPeople, json, makeHub, refusalOf } from './hub-people.ts';

const path = '/api/v1/hubs/acme/connections';
const secret = 'a-very-secret-value-4711';
const header = { kind: 'header', header: 'X-Api-Key', value: secret };

t.test('a connection is added, seen by every member, changed and removed', async (t) => {
  const { api, ana, max, hub } = await hubPeople(t);
  const input = { name: 'search', kind: 'http', url: 'https://Tools.example.com/mcp', credential: header };
  const made = await ana.ask('POST', path, input);
  t.equal(made.status, 201);
  const row: HubConnection = await made.json();
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
  t.same((await json<{ items: unknown[] }>(max.ask('GET', path))).items, [row]);
  t.same(await json(max.ask('GET', `${path}/search`)), row);
  t.same(await json(max.ask('GET', `${path}/${row.connection_id}`)), row);
  t.match(await json(ana.ask('PUT', `${path}/search`, { name: 'find', enabled: false })), {
    name: 'find',
    enabled: false,
  });
  t.same(await api.hub.book.ofHub(hub.hub_id), [], 'the gateway sees those that are on');
  t.equal(await refusalOf(ana.ask('GET', `${path}/search`)), '404 CONNECTION_UNKNOWN');
  t.equal((await ana.ask('DELETE', `${path}/find`)).status, 204);
  t.same((await json<{ items: unknown[] }>(max.ask('GET', path))).items, []);
});

t.test('credentials are sealed, opened for the gateway alone, and never answered', async (t) => {
  const { api, ana } = await hubPeople(t);
  const url = 'https://tools.example.com/mcp';
  const row = await json<HubConnection>(ana.ask('POST', path, { name: 'a', kind: 'http', url, credential: header }));
  const oauth = { kind: 'oauth', sharing: 'per_user', client_id: 'us', client_secret: secret, scope: 'tools' };
  const other = await json<HubConnection>(ana.ask('POST', path, { name: 'b', kind: 'sse', url, credential: oauth }));
  t.same(other.credential, {
    kind: 'oauth',
    sharing: 'per_user',
    client_id: 'us',
    has_client_secret: true,
    scope: 'tools',
  });
  const { secrets } = api.hub.book;
  t.same(await secrets.header(row.connection_id), { name: 'X-Api-Key', value: secret });
  t.equal(await secrets.clientSecret(other.connection_id), secret);
  t.equal(await secrets.clientSecret(row.connection_id), undefined, 'a header is no client secret');
  t.equal(await secrets.header(other.connection_id), undefined);
  const answers = await Promise.all(
    [`${path}`, `${path}/a`, `${path}/b`].map(async (at) => (await ana.ask('GET', at)).text()),
  );
  const rows = await api.control.database.read((sql) => sql.prepare('SELECT * FROM hub_connections').all());
  const stored = JSON.stringify(rows, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
  t.notMatch([...answers, stored, JSON.stringify(api.security), JSON.stringify(api.lines)].join(), secret);
  await api.control.database.write((sql) =>
    sql
      .prepare(
        "UPDATE hub_connections SET sealed = (SELECT sealed FROM hub_connections WHERE name = 'b') WHERE name = 'a'",
      )
      .run(),
  );
  await t.rejects(secrets.header(row.connection_id), { code: 'INTERNAL' }, 'a value of another row opens nothing');
});

t.test('a credential follows to no other host, so that nobody can have it sent to themselves', async (t) => {
  const { api, ana } = await hubPeople(t);
  const input = { name: 'a', kind: 'http', url: 'https://tools.example.com/mcp', credential: header };
  const row = await json<HubConnection>(ana.ask('POST', path, input));
  const moved = await ana.ask('PUT', `${path}/a`, { url: 'https://evil.example.net/mcp' });
  t.equal(moved.status, 422);
  t.match(await moved.json(), {
    code: 'CONNECTION_CREDENTIAL_NEEDED',
    detail: /tools\.example\.com.*evil\.example\.net/,
  });
  const port = await ana.ask('PUT', `${path}/a`, { url: 'https://tools.example.com:8443/mcp' });
  t.equal((await port.json()).code, 'CONNECTION_CREDENTIAL_NEEDED', 'another port is another server');
  t.match(await json(ana.ask('PUT', `${path}/a`, { url: 'https://tools.example.com/v2' })), {
    url: 'https://tools.example.com/v2',
  });
  t.same(await api.hub.book.secrets.header(row.connection_id), { name: 'X-Api-Key', value: secret });
  await ana.ask('PUT', `${path}/a`, { url: 'https://other.example.net/', credential: { kind: 'none' } });
  t.equal(await api.hub.book.secrets.header(row.connection_id), undefined);
});

t.test('what an upstream gave is kept for each person, and ends with address, credential or membership', async (t) => {
  const { api, ana, max, ids } = await hubPeople(t);
  const credential = { kind: 'oauth', sharing: 'per_user' };
  const input = { name: 'a', kind: 'http', url: 'https://tools.example.com/mcp', credential };
  const { connection_id: id } = await json<HubConnection>(ana.ask('POST', path, input));
  const { secrets } = api.hub.book;
  const keep = async () => {
    for (const [person, text] of [
      [undefined, 'shared'],
      [ids.Ana, 'of ana'],
      [ids.Max, 'of max'],
    ])
      t.equal(await secrets.keepOauthState(id, person, text, { was: undefined }), true);
  };
  const kept = async () =>
    Promise.all([undefined, ids.Ana, ids.Max, ids.Vic].map((one) => secrets.oauthState(id, one)));
  await keep();
  t.same(await kept(), ['shared', 'of ana', 'of max', undefined]);
  t.equal(await secrets.keepOauthState(id, ids.Ana, 'newer', { was: 'of max' }), false, 'another was read');
  t.equal(
    await secrets.keepOauthState(id, ids.Ana, 'newer', { was: 'of ana', revision: 7 }),
    false,
    'of another record',
  );
  t.equal(await secrets.keepOauthState(id, ids.Ana, 'newer', { was: 'of ana', revision: 1 }), true);
  t.same(await kept(), ['shared', 'newer', 'of max', undefined]);
  const stored = await api.control.database.read((sql) => sql.prepare('SELECT * FROM hub_upstream_grants').all());
  t.equal(stored.length, 3);
  t.notMatch(JSON.stringify(stored), 'of max');
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.same(await kept(), ['shared', 'newer', undefined, undefined]);
  await ana.ask('PUT', `${path}/a`, { enabled: true });
  t.same(await kept(), ['shared', 'newer', undefined, undefined]);
  await ana.ask('PUT', `${path}/a`, { url: 'https://tools.example.com/v2' });
  t.same(await kept(), [undefined, undefined, undefined, undefined]);
  await secrets.keepOauthState(id, ids.Ana, 'again', { was: undefined });
  await secrets.keepOauthState(id, ids.Ana, undefined, { was: 'again' });
  t.equal(await secrets.oauthState(id, ids.Ana), undefined);
  await ana.ask('DELETE', `${path}/a`);
  await secrets.keepOauthState(id, ids.Ana, 'too late', { was: undefined });
  t.equal(await secrets.oauthState(id, ids.Ana), undefined);
});

const refusedUrls: Readonly<Record<string, RegExp>> = {
  'nothing at all': /no http/,
  'file:///etc/passwd': /no http/,
  'javascript:alert(1)': /no http/,
  'http://tools.example.com/mcp': /plain http/,
  'https://user:pw@tools.example.com/': /name or a password/,
  'https://tools.example.com/#frag': /fragment/,
  'https://tools.example.com/?api_key=1': /credential in it \(api_key\)/,
  'https://tools.example.com/?x=1&Access-Token=1': /credential in it/,
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

t.test('addresses that lead inwards, or that hold a secret, are refused in every spelling', async (t) => {
  const { ana } = await hubPeople(t);
  for (const [url, problem] of Object.entries(refusedUrls)) {
    const answer = await ana.ask('POST', path, { name: 'a', kind: 'http', url });
    t.equal(answer.status, 422, url);
    t.match(await answer.json(), { code: 'CONNECTION_URL_REFUSED', detail: problem }, url);
  }
  await ana.ask('POST', path, { name: 'a', kind: 'http', url: 'https://tools.example.com/' });
  const changed = await ana.ask('PUT', `${path}/a`, { url: 'https://169.254.169.254/' });
  t.equal((await changed.json()).code, 'CONNECTION_URL_REFUSED');
});

t.test('the operator’s word opens private networks and plain http, never link-local addresses', async (t) => {
  const { ana } = await hubPeople(t, { hubSettings: { allowPrivateUpstreams: true } });
  const add = async (name: string, url: string) => (await ana.ask('POST', path, { name, kind: 'http', url })).status;
  t.equal(await add('a', 'http://127.0.0.1:9000/mcp'), 201);
  t.equal(await add('b', 'http://tools.corp/mcp?set=all'), 201);
  t.equal(await add('c', 'http://[fd00::1]/mcp'), 201);
  t.equal(await add('d', 'http://169.254.169.254/mcp'), 422);
  t.equal(await add('e', 'http://0.0.0.0/mcp'), 422);
});

const stdioCommands = shownCommands(
  new Map(['files', 'git'].map((name) => [name, { image: name, command: [] }])),
  false,
);

t.test('programs are connected by owners of the control plane, from the operator’s file', async (t) => {
  const { ana, max, ids } = await hubPeople(t, { hubSettings: { stdioCommands } });
  await ana.ask('PUT', `/api/v1/hubs/acme/members/${ids.Max}`, { role: 'owner' });
  const input = { name: 'files', kind: 'stdio', command: 'files' };
  t.equal(await refusalOf(max.ask('POST', path, input)), '403 CONNECTION_STDIO_REFUSED');
  t.match(await json(ana.ask('POST', path, input)), { kind: 'stdio', command: 'files', url: null });
  t.equal(await refusalOf(max.ask('PUT', `${path}/files`, { name: 'mine' })), '403 CONNECTION_STDIO_REFUSED');
  const unknown = await ana.ask('POST', path, { name: 'sh', kind: 'stdio', command: '/bin/sh' });
  t.match(await unknown.json(), { code: 'CONNECTION_INVALID', cure: /files, git/ });
  const mixed = [
    { name: 'x', kind: 'stdio', url: 'https://tools.example.com/' },
    { name: 'x', kind: 'http', command: 'files' },
    { name: 'x', kind: 'http' },
    { name: 'x', kind: 'stdio', command: 'git', credential: header },
  ];
  for (const body of mixed) t.equal(await refusalOf(ana.ask('POST', path, body)), '422 CONNECTION_INVALID');
});

t.test('names are prefixes of tools; headers that mean something else carry no credential', async (t) => {
  const { ana } = await hubPeople(t, { hubSettings: { mostConnections: 2 } });
  const url = 'https://tools.example.com/';
  for (const name of ['A', 'a_b', 'a__b', '-a', 'a-', 'a--b', 'x'.repeat(25), 'é'])
    t.equal(await refusalOf(ana.ask('POST', path, { name, kind: 'http', url })), '422 CONNECTION_NAME_INVALID', name);
  const bad = [
    { header: 'Host', value: 'x' },
    { header: 'Cookie', value: 'x' },
    { header: 'Mcp-Session-Id', value: 'x' },
    { header: 'X-Forwarded-For', value: 'x' },
    { header: 'Bad Name', value: 'x' },
    { header: 'X-Key', value: 'a\r\nX-Other: b' },
    { header: 'X-Key', value: ' a' },
    { header: 'X-Key', value: 'schlüssel' },
  ];
  for (const one of bad) {
    const answer = await ana.ask('POST', path, {
      name: 'a',
      kind: 'http',
      url,
      credential: { kind: 'header', ...one },
    });
    t.equal(answer.status, 422, one.header);
    t.match(await answer.json(), { code: 'CONNECTION_INVALID' });
  }
  t.equal(
    (await ana.ask('POST', path, { name: 'a', kind: 'http', url, credential: { kind: 'header', header: 'A' } })).status,
    400,
  );
  const alone = { kind: 'oauth', sharing: 'shared', client_secret: 's' };
  t.equal(
    await refusalOf(ana.ask('POST', path, { name: 'a', kind: 'http', url, credential: alone })),
    '422 CONNECTION_INVALID',
  );
  t.equal((await ana.ask('POST', path, { name: 'a', kind: 'http', url })).status, 201);
  t.equal(await refusalOf(ana.ask('POST', path, { name: 'a', kind: 'http', url })), '409 CONNECTION_NAME_TAKEN');
  t.equal((await ana.ask('POST', path, { name: 'b', kind: 'http', url })).status, 201);
  t.equal(await refusalOf(ana.ask('PUT', `${path}/b`, { name: 'a' })), '409 CONNECTION_NAME_TAKEN');
  t.equal(await refusalOf(ana.ask('POST', path, { name: 'c', kind: 'http', url })), '409 HUB_LIMIT_REACHED');
});

t.test('the gateway hears of changes, and notes how real calls went', async (t) => {
  const { api, ana, max, hub } = await hubPeople(t);
  await makeHub(ana, 'other');
  const heard: string[] = [];
  const stop = api.hub.book.onChange((hubId) => heard.push(hubId));
  const url = 'https://tools.example.com/';
  const row = await json<HubConnection>(ana.ask('POST', path, { name: 'a', kind: 'http', url }));
  await api.hub.book.noteState(row.connection_id, 'failing', `refused ${'x'.repeat(1000)}`);
  const shown = await json<HubConnection>(max.ask('GET', `${path}/a`));
  t.match(shown, { state: 'failing', last_error: /^refused x+$/, last_tried_at: String });
  t.equal(shown.last_error?.length, 500);
  await api.hub.book.noteState(row.connection_id, 'connected', undefined);
  t.match(await json(max.ask('GET', `${path}/a`)), { state: 'connected', last_error: null });
  t.match(await api.hub.book.find(row.connection_id), {
    hubId: hub.hub_id,
    name: 'a',
    revision: 1,
    state: 'connected',
  });
  t.match(await json(ana.ask('PUT', `${path}/a`, { enabled: true })), { state: 'untried' });
  t.match(await api.hub.book.ofHub(hub.hub_id), [{ revision: 2, credential: { kind: 'none' } }]);
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.same(heard, [hub.hub_id, hub.hub_id, hub.hub_id], 'added, changed, left');
  stop();
  await ana.ask('DELETE', `${path}/a`);
  t.equal(heard.length, 3);
  t.equal(await api.hub.book.find(row.connection_id), undefined);
  await api.hub.book.noteState(row.connection_id, 'failing', 'too late');
});
