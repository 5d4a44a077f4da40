/** What may not be registered, and how often. Registration is open to everybody, so nothing in it is believed. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import t from 'tap';
import { answer, uidOf } from '../server/oauth-plane.ts';
import { portOf } from '../targets/raw-target.ts';
import { asking, callback, metadataOf, publicClient, registering } from './program.ts';
import { openTown, type Town } from './town.ts';

/** Each test has a control plane of its own: registrations are counted. */
const scene = (name: string, play: (t: Parameters<typeof openTown>[0], town: Town) => Promise<void>): void => {
  t.test(name, async (t) => play(t, await openTown(t)));
};

const refusals = ['invalid_redirect_uri', 'invalid_client_metadata'];

async function refused(t: Parameters<typeof openTown>[0], town: Town, more: object, name: string): Promise<void> {
  const { status, body } = await registering(town, publicClient(more));
  t.equal(status, 400, `${name}: ${JSON.stringify(body)}`);
  t.ok(refusals.includes(body.error ?? ''), `${name}: ${body.error}`);
}

scene('what is registered is answered as it counts, without a secret, and is not to be stored', async (t, town) => {
  const { status, headers, body } = await registering(town, publicClient());
  t.equal(status, 201);
  t.match(body, {
    client_id: /./,
    client_name: 'Probe',
    token_endpoint_auth_method: 'none',
    redirect_uris: [callback],
  });
  t.notOk(body.client_secret);
  t.match(headers.get('cache-control'), /no-store/);
});

const hostile = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox',
  'file:///etc/passwd',
  'blob:https://app.example/x',
  'about:blank',
  'http://app.example/callback',
];
scene('redirect addresses that run, read or travel in the clear', async (t, town) => {
  for (const uri of hostile) await refused(t, town, { redirect_uris: [uri] }, uri);
});

const malformed = [
  'https://app.example/callback#fragment',
  'https://*.app.example/callback',
  '//app.example/callback',
  'callback',
  '',
];
scene('redirect addresses that are none', async (t, town) => {
  for (const uri of malformed) await refused(t, town, { redirect_uris: [uri] }, uri);
  await refused(t, town, { redirect_uris: [] }, 'none');
});

scene('redirect addresses by the hundred', async (t, town) => {
  const many = Array.from({ length: 300 }, (_, index) => `https://app.example/${index}`);
  const { status } = await registering(town, publicClient({ redirect_uris: many }));
  t.ok(status === 400 || status === 413, `${status}`);
});

scene('ways that need no person, or put tokens into addresses', async (t, town) => {
  await refused(t, town, { grant_types: ['client_credentials'] }, 'client_credentials');
  await refused(t, town, { grant_types: ['password'] }, 'password');
  await refused(t, town, { grant_types: ['implicit'], response_types: ['token'] }, 'implicit');
});

for (const field of ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']) {
  scene(`a hostile ${field} is refused, or shown to nobody`, async (t, town) => {
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd']) {
      const { status, body } = await registering(town, publicClient({ [field]: uri }));
      if (status !== 201) t.equal(status, 400, uri);
      else t.notMatch(await shown(town, body.client_id ?? ''), uri);
    }
  });
}

/** What the consent page gets to show of a client. */
async function shown(town: Town, clientId: string): Promise<string> {
  const program = { url: town.url, clientId, redirectUri: callback };
  const consent = await answer(town.max, await town.max.go(asking(program).url), true);
  return (await town.max.api('GET', `/interactions/${uidOf(consent)}`)).text();
}

scene('addresses in it are never opened', async (t, town) => {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const here = `http://127.0.0.1:${portOf(server)}`;
  for (const field of ['logo_uri', 'client_uri', 'jwks_uri', 'sector_identifier_uri', 'initiate_login_uri']) {
    const { status, body } = await registering(town, publicClient({ [field]: `${here}/${field}` }));
    if (status === 201) await shown(town, body.client_id ?? '');
  }
  t.equal(calls, 0);
});

const lookAlikes = [
  'vp on the command line',
  'VP on the Command Line',
  'vр on the command line',
  'vp\u200b on the command line',
  'ｖｐ on the command line',
];
scene('a name like our own is refused, or told to be unverified', async (t, town) => {
  for (const client_name of lookAlikes) {
    const { status, body } = await registering(town, publicClient({ client_name }));
    if (status !== 201) t.equal(status, 400, client_name);
    else {
      const { client } = JSON.parse(await shown(town, body.client_id ?? ''));
      t.match(client, { verified: false, registered: 'dynamic' }, client_name);
    }
  }
});

scene('a name that hides, turns or breaks the text around it never reaches the page as it is', async (t, town) => {
  const names = ['Probe\u202egnp.exe', 'Probe\u0000', 'Pro\u200bbe', 'Probe\nAllow', 'Probe\u2066x', '\u202e'];
  for (const client_name of names) {
    const { status, body } = await registering(town, publicClient({ client_name }));
    if (status !== 201) t.equal(status, 400, JSON.stringify(client_name));
    else {
      const { client } = JSON.parse(await shown(town, body.client_id ?? ''));
      t.notMatch(client.name, /[\p{Cc}\p{Cf}]/u, JSON.stringify(client_name));
    }
  }
});

scene('a name of a page, and megabytes of anything', async (t, town) => {
  const { status: long } = await registering(town, publicClient({ client_name: 'x'.repeat(5000) }));
  t.equal(long, 400);
  const { status: huge } = await registering(town, publicClient({ contacts: ['x'.repeat(3_000_000)] }));
  t.ok(huge === 400 || huge === 413, `${huge}`);
  const { status: after } = await registering(town, publicClient());
  t.equal(after, 201, 'it goes on');
});

scene('what is no registration', async (t, town) => {
  const { registration_endpoint: endpoint } = await metadataOf(town);
  const post = async (body: string, type = 'application/json') => {
    const response = await fetch(endpoint, { method: 'POST', headers: { 'content-type': type }, body });
    await response.body?.cancel();
    return response.status;
  };
  for (const body of [
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"redirect_uris": 1}',
    '{"redirect_uris": [1]}',
    '{"__proto__":{}}',
  ])
    t.equal(await post(body), 400, body);
  t.not(await post('client_name=x', 'application/x-www-form-urlencoded'), 201);
});

scene('nobody reads, changes or removes the registration of somebody else', async (t, town) => {
  const { body } = await registering(town, publicClient());
  const { registration_endpoint: endpoint } = await metadataOf(town);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const response = await fetch(`${endpoint}/${body.client_id}`, { method });
    t.ok(response.status >= 400, `${method} ${response.status}`);
    await response.body?.cancel();
  }
  const { body: mine } = await registering(town, publicClient({ client_id: 'vp-cli', client_secret: 'mine' }));
  t.not(mine.client_id, 'vp-cli', 'no name of somebody else is taken');
});

scene('a flood of registrations is held up, and signing in goes on', async (t, town) => {
  const statuses: number[] = [];
  let wait: string | null = null;
  for (let round = 0; round < 400 && !statuses.includes(429); round += 1) {
    const { status, headers } = await registering({ url: town.url }, publicClient({ client_name: `Flood ${round}` }));
    statuses.push(status);
    if (status === 429) wait = headers.get('retry-after');
  }
  t.ok(statuses.includes(429), `${statuses.length} were let through`);
  t.ok(Number(wait) > 0, 'it says when to come again');
  t.ok(
    town.lines.some(({ security }) => /limited/.test(security ?? '')),
    'it is told to the log',
  );
  t.equal((await town.max.api('GET', '/session')).status, 200);
});
