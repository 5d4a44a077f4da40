/** Dynamic client registration is open to everybody: invalid metadata is rejected, and the number is limited. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import t from 'tap';
import { decideInteraction, parseInteractionUid } from '../server/oauth/oauth-control-plane.ts';
import { getPort } from '../targets/raw-target.ts';
import { type HubControlPlane, startHubControlPlane } from './hub-control-plane.ts';
import {
  buildPublicClient,
  callbackUrl,
  fetchServerMetadata,
  postRegistration,
  prepareAuthorization,
} from './oauth-client.ts';

/** Each test has its own control plane, because registrations are counted. */
const testWithPlane = (
  name: string,
  run: (t: Parameters<typeof startHubControlPlane>[0], plane: HubControlPlane) => Promise<void>,
): void => {
  t.test(name, async (t) => run(t, await startHubControlPlane(t)));
};

const refusals = ['invalid_redirect_uri', 'invalid_client_metadata'];

async function assertRefused(
  t: Parameters<typeof startHubControlPlane>[0],
  plane: HubControlPlane,
  metadata: object,
  name: string,
): Promise<void> {
  const { status, body } = await postRegistration(plane, buildPublicClient(metadata));
  t.equal(status, 400, `${name}: ${JSON.stringify(body)}`);
  t.ok(refusals.includes(body.error ?? ''), `${name}: ${body.error}`);
}

testWithPlane(
  'the registration response contains the stored metadata, no secret, and must not be cached',
  async (t, plane) => {
    const { status, headers, body } = await postRegistration(plane, buildPublicClient());
    t.equal(status, 201);
    t.match(body, {
      client_id: /./,
      client_name: 'Probe',
      token_endpoint_auth_method: 'none',
      redirect_uris: [callbackUrl],
    });
    t.notOk(body.client_secret);
    t.match(headers.get('cache-control'), /no-store/);
  },
);

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
testWithPlane('redirect URIs that run code, read files or use plain http are rejected', async (t, plane) => {
  for (const uri of hostile) await assertRefused(t, plane, { redirect_uris: [uri] }, uri);
});

const malformed = [
  'https://app.example/callback#fragment',
  'https://*.app.example/callback',
  '//app.example/callback',
  'callback',
  '',
];
testWithPlane('invalid redirect URIs are rejected', async (t, plane) => {
  for (const uri of malformed) await assertRefused(t, plane, { redirect_uris: [uri] }, uri);
  await assertRefused(t, plane, { redirect_uris: [] }, 'none');
});

testWithPlane('hundreds of redirect URIs are rejected', async (t, plane) => {
  const many = Array.from({ length: 300 }, (_, index) => `https://app.example/${index}`);
  const { status } = await postRegistration(plane, buildPublicClient({ redirect_uris: many }));
  t.ok(status === 400 || status === 413, `${status}`);
});

testWithPlane('grant types without a person, or with tokens in URLs, are rejected', async (t, plane) => {
  await assertRefused(t, plane, { grant_types: ['client_credentials'] }, 'client_credentials');
  await assertRefused(t, plane, { grant_types: ['password'] }, 'password');
  await assertRefused(t, plane, { grant_types: ['implicit'], response_types: ['token'] }, 'implicit');
});

for (const field of ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']) {
  testWithPlane(`a hostile ${field} is rejected, or never displayed`, async (t, plane) => {
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd']) {
      const { status, body } = await postRegistration(plane, buildPublicClient({ [field]: uri }));
      if (status !== 201) t.equal(status, 400, uri);
      else t.notMatch(await readConsent(plane, body.client_id ?? ''), uri);
    }
  });
}

/** The data that the consent page displays of a client. */
async function readConsent(plane: HubControlPlane, clientId: string): Promise<string> {
  const client = { url: plane.url, clientId, redirectUri: callbackUrl };
  const consent = await decideInteraction(plane.max, await plane.max.navigate(prepareAuthorization(client).url), true);
  return (await plane.max.api('GET', `/interactions/${parseInteractionUid(consent)}`)).text();
}

testWithPlane('URLs in a registration are never fetched', async (t, plane) => {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${getPort(server)}`;
  for (const field of ['logo_uri', 'client_uri', 'jwks_uri', 'sector_identifier_uri', 'initiate_login_uri']) {
    const { status, body } = await postRegistration(plane, buildPublicClient({ [field]: `${origin}/${field}` }));
    if (status === 201) await readConsent(plane, body.client_id ?? '');
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
testWithPlane('a name like our own is rejected, or displayed as unverified', async (t, plane) => {
  for (const client_name of lookAlikes) {
    const { status, body } = await postRegistration(plane, buildPublicClient({ client_name }));
    if (status !== 201) t.equal(status, 400, client_name);
    else {
      const { client } = JSON.parse(await readConsent(plane, body.client_id ?? ''));
      t.match(client, { verified: false, registered: 'dynamic' }, client_name);
    }
  }
});

testWithPlane('a name with control characters never reaches the page unchanged', async (t, plane) => {
  const names = ['Probe\u202egnp.exe', 'Probe\u0000', 'Pro\u200bbe', 'Probe\nAllow', 'Probe\u2066x', '\u202e'];
  for (const client_name of names) {
    const { status, body } = await postRegistration(plane, buildPublicClient({ client_name }));
    if (status !== 201) t.equal(status, 400, JSON.stringify(client_name));
    else {
      const { client } = JSON.parse(await readConsent(plane, body.client_id ?? ''));
      t.notMatch(client.name, /[\p{Cc}\p{Cf}]/u, JSON.stringify(client_name));
    }
  }
});

testWithPlane('overlong names and bodies are rejected', async (t, plane) => {
  const { status: long } = await postRegistration(plane, buildPublicClient({ client_name: 'x'.repeat(5000) }));
  t.equal(long, 400);
  const { status: huge } = await postRegistration(plane, buildPublicClient({ contacts: ['x'.repeat(3_000_000)] }));
  t.ok(huge === 400 || huge === 413, `${huge}`);
  const { status: after } = await postRegistration(plane, buildPublicClient());
  t.equal(after, 201, 'later registrations are accepted');
});

testWithPlane('malformed registrations are rejected', async (t, plane) => {
  const { registration_endpoint: endpoint } = await fetchServerMetadata(plane);
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

testWithPlane('registrations cannot be read, changed or removed by others', async (t, plane) => {
  const { body } = await postRegistration(plane, buildPublicClient());
  const { registration_endpoint: endpoint } = await fetchServerMetadata(plane);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const response = await fetch(`${endpoint}/${body.client_id}`, { method });
    t.ok(response.status >= 400, `${method} ${response.status}`);
    await response.body?.cancel();
  }
  const { body: registration } = await postRegistration(
    plane,
    buildPublicClient({ client_id: 'vp-cli', client_secret: 'mine' }),
  );
  t.not(registration.client_id, 'vp-cli', 'a client cannot choose its id');
});

testWithPlane('a flood of registrations is rate limited, and sessions still work', async (t, plane) => {
  const statuses: number[] = [];
  let wait: string | null = null;
  for (let round = 0; round < 400 && !statuses.includes(429); round += 1) {
    const { status, headers } = await postRegistration(
      { url: plane.url },
      buildPublicClient({ client_name: `Flood ${round}` }),
    );
    statuses.push(status);
    if (status === 429) wait = headers.get('retry-after');
  }
  t.ok(statuses.includes(429), `${statuses.length} were accepted`);
  t.ok(Number(wait) > 0, 'the response has a Retry-After header');
  t.ok(
    plane.lines.some(({ security }) => /limited/.test(security ?? '')),
    'the limit is logged',
  );
  t.equal((await plane.max.api('GET', '/session')).status, 200);
});
