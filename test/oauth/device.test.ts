/** Device authorization for a hub: codes that are guessed, stolen, expired or entered by people who are not members. */
import t, { type Test } from 'tap';
import { advanceDate } from '../environment/advance-date.ts';
import { describeAccess, type HubControlPlane, putMember, startHubControlPlane } from './hub-control-plane.ts';
import {
  buildHubResource,
  type Fields,
  type OAuthTestClient,
  postFields,
  registerClient,
  replaceField,
} from './oauth-client.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const registration = { grant_types: [deviceGrant, 'refresh_token'], response_types: [], redirect_uris: [] };

const registerDevice = (plane: HubControlPlane): Promise<OAuthTestClient> =>
  registerClient(plane, undefined, registration);

function startDeviceAuthorization(
  plane: HubControlPlane,
  { clientId }: OAuthTestClient,
  resource: string | undefined = buildHubResource(plane),
) {
  const target: Fields = resource === '' ? [] : [['resource', resource]];
  return postFields(plane, 'device-authorization', [['client_id', clientId], ...target]);
}

function buildPoll({ clientId }: OAuthTestClient, deviceCode: string | undefined): Fields {
  return [
    ['grant_type', deviceGrant],
    ['client_id', clientId],
    ['device_code', deviceCode ?? ''],
  ];
}

const plane = await startHubControlPlane(t, { pollIntervalSeconds: 0.6 });
const client = await registerDevice(plane);
/** Lets the time between two polls pass. */
const skipPollInterval = (t: Test): void => advanceDate(t, 1000);
const answerCode = (browser: HubControlPlane['max'], user_code: string | undefined, allow = true) =>
  browser.api('POST', '/device', { user_code, allow });

t.test(
  'a member enters the code and sees the client and the hub; the device gets access to that hub only',
  async (t) => {
    const { body } = await startDeviceAuthorization(plane, client);
    t.notOk(body.verification_uri_complete, 'there is no link with the code');
    const request = await (await plane.max.api('POST', '/device/look-up', { user_code: body.user_code })).json();
    t.match(request, { hub: { slug: 'acme' }, member: true, address: '127.0.0.1' });
    t.equal((await answerCode(plane.max, body.user_code)).status, 204);
    const { status, body: tokens } = await postFields(plane, 'token', buildPoll(client, body.device_code));
    t.equal(status, 200);
    t.equal(await describeAccess(plane, '/hub/acme/mcp', tokens.access_token), '200');
    t.equal(await describeAccess(plane, '/hub/other/mcp', tokens.access_token), '401 invalid_token');
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    t.equal((await fetch(`${plane.url}/api/v1/session`, { headers })).status, 401);
  },
);

for (const [name, resource] of [
  ['no hub', ''],
  ['a URL without a hub', plane.url],
  ['the API', `${plane.url}/api/v1`],
  ['a resource elsewhere', 'https://elsewhere.example/hub/acme'],
] as const) {
  t.test(`a device that requests ${name} gets no code, or no token`, async (t) => {
    const { status, body } = await startDeviceAuthorization(plane, client, resource);
    if (status === 200) {
      await answerCode(plane.max, body.user_code);
      const polled = await postFields(plane, 'token', buildPoll(client, body.device_code));
      t.notOk(polled.body.access_token);
    } else t.equal(body.error, 'invalid_target');
  });
}

t.test('only one of two concurrent decisions counts, and the other leaves no grant', async (t) => {
  for (const isAllowedFirst of [true, false]) {
    const { body } = await startDeviceAuthorization(plane, client);
    const before = (await listGrants(plane.max)).length;
    const answers = await Promise.all(
      [isAllowedFirst, !isAllowedFirst].map((allow) => answerCode(plane.max, body.user_code, allow)),
    );
    t.same(answers.map(({ status }) => status).sort(), [204, 404]);
    const isAllowed = answers[isAllowedFirst ? 0 : 1]?.status === 204;
    const polled = await postFields(plane, 'token', buildPoll(client, body.device_code));
    t.equal(polled.body.error, isAllowed ? undefined : 'access_denied');
    t.equal((await listGrants(plane.max)).length, before + (isAllowed ? 1 : 0));
  }
});

const listGrants = async (browser: HubControlPlane['max']): Promise<readonly object[]> => {
  const { items }: { items: object[] } = await (await browser.api('GET', '/grants')).json();
  return items;
};

t.test('two resources in one request are rejected', async (t) => {
  const { status, body } = await postFields(plane, 'device-authorization', [
    ['client_id', client.clientId],
    ['resource', buildHubResource(plane)],
    ['resource', buildHubResource(plane, 'other')],
  ]);
  t.equal(status, 400);
  t.equal(body.error, 'invalid_target');
});

t.test('a person who is not a member cannot approve a device', async (t) => {
  const { body } = await startDeviceAuthorization(plane, client);
  const request = await (await plane.eve.api('POST', '/device/look-up', { user_code: body.user_code })).json();
  t.equal(request.member, false);
  t.equal((await answerCode(plane.eve, body.user_code)).status, 403);
  t.notOk((await postFields(plane, 'token', buildPoll(client, body.device_code))).body.access_token);
});

t.test('after leaving the hub, an approved device has no access', async (t) => {
  const { body } = await startDeviceAuthorization(plane, client);
  await answerCode(plane.max, body.user_code);
  await plane.max.api('POST', '/hubs/acme/leave');
  const { body: tokens } = await postFields(plane, 'token', buildPoll(client, body.device_code));
  if (tokens.access_token)
    t.equal(await describeAccess(plane, '/hub/acme/mcp', tokens.access_token), '403 membership_required');
  await putMember(plane.ana, 'acme', plane.ids.Max ?? '');
});

t.test('a device code is redeemed only by its client, only for its hub and only once', async (t) => {
  const { body } = await startDeviceAuthorization(plane, client);
  await answerCode(plane.max, body.user_code);
  const otherClient = await registerDevice(plane);
  const byOtherClient = await postFields(plane, 'token', buildPoll(otherClient, body.device_code));
  t.match(byOtherClient, { status: 400, body: { error: 'invalid_grant', access_token: undefined } });
  skipPollInterval(t);
  const poll = buildPoll(client, body.device_code);
  const otherHub = replaceField(poll, 'resource', buildHubResource(plane, 'other'));
  const forOtherHub = await postFields(plane, 'token', otherHub);
  t.match(forOtherHub, { status: 400, body: { error: 'invalid_target', access_token: undefined } });
  skipPollInterval(t);
  const first = await postFields(plane, 'token', poll);
  t.equal(first.status, 200, 'the failed attempts did not consume the code');
  t.equal(await describeAccess(plane, '/hub/acme/mcp', first.body.access_token), '200');
  skipPollInterval(t);
  const second = await postFields(plane, 'token', poll);
  t.match(second, { status: 400, body: { error: 'invalid_grant', access_token: undefined } });
});

t.test('the second use of a device code revokes the tokens of the first', async (t) => {
  const { body } = await startDeviceAuthorization(plane, client);
  await answerCode(plane.max, body.user_code);
  const { body: tokens } = await postFields(plane, 'token', buildPoll(client, body.device_code));
  skipPollInterval(t);
  t.match(await postFields(plane, 'token', buildPoll(client, body.device_code)), { body: { error: 'invalid_grant' } });
  t.equal(await describeAccess(plane, '/hub/acme/mcp', tokens.access_token), '401 invalid_token');
});

t.test('the user code is not accepted as the device code', async (t) => {
  const { body } = await startDeviceAuthorization(plane, client);
  await answerCode(plane.max, body.user_code);
  const { status } = await postFields(plane, 'token', buildPoll(client, body.user_code));
  t.equal(status, 400);
});

t.test('a forged request approves nothing', async (t) => {
  const { body } = await startDeviceAuthorization(plane, client);
  const cookie = [...plane.max.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  const headers = {
    'content-type': 'application/json',
    origin: plane.url,
    'x-vp-proof': plane.max.proof ?? '',
    cookie,
  };
  for (const changedHeaders of [
    { ...headers, origin: 'https://evil.example' },
    { ...headers, 'x-vp-proof': 'x'.repeat(43) },
  ]) {
    const forged = JSON.stringify({ user_code: body.user_code, allow: true });
    const response = await fetch(`${plane.url}/api/v1/device`, {
      method: 'POST',
      headers: changedHeaders,
      body: forged,
    });
    t.ok([401, 403].includes(response.status), `${response.status}`);
  }
  t.match(await postFields(plane, 'token', buildPoll(client, body.device_code)), {
    body: { error: 'authorization_pending' },
  });
});

t.test(
  'guessing user codes is rate limited per person and logged, and other people can still approve the device',
  async (t) => {
    const watchedPlane = await startHubControlPlane(t);
    const waitingClient = await registerDevice(watchedPlane);
    const { body } = await startDeviceAuthorization(watchedPlane, waitingClient);
    let status = 404;
    for (let round = 0; round < 60 && status === 404; round += 1) {
      const code = `BBBB-BB${'BCDFGHJKLM'[Math.floor(round / 10)]}${'BCDFGHJKLM'[round % 10]}`;
      status = (await watchedPlane.eve.api('POST', '/device/look-up', { user_code: code })).status;
    }
    t.equal(status, 429);
    t.equal((await answerCode(watchedPlane.eve, body.user_code)).status, 429, 'decisions count like look-ups');
    t.ok(watchedPlane.lines.some(({ security }) => security === 'device_codes_guessed'));
    t.equal((await answerCode(watchedPlane.max, body.user_code)).status, 204, 'other people are not limited');
  },
);

t.test('guessing device codes gives no token', async (t) => {
  for (let round = 0; round < 20; round += 1) {
    const { status, body } = await postFields(plane, 'token', buildPoll(client, String(round).padStart(43, 'x')));
    t.ok([400, 429].includes(status));
    t.notOk(body.access_token);
  }
});
