/** Devices without a browser at a hub: codes that are guessed, stolen, late or typed by somebody who is not a member. */
import t from 'tap';
import { but, type Fields, type Program, posted, registered, resourceOf } from './program.ts';
import { entrance, openTown, putMember, type Town } from './town.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const registration = { grant_types: [deviceGrant, 'refresh_token'], response_types: [], redirect_uris: [] };

/** A registered program of a machine without a browser. */
const device = (town: Town): Promise<Program> => registered(town, undefined, registration);

function begin(town: Town, { clientId }: Program, resource: string | undefined = resourceOf(town)) {
  const target: Fields = resource === '' ? [] : [['resource', resource]];
  return posted(town, 'device-authorization', [['client_id', clientId], ...target]);
}

function polling({ clientId }: Program, deviceCode: string | undefined): Fields {
  return [
    ['grant_type', deviceGrant],
    ['client_id', clientId],
    ['device_code', deviceCode ?? ''],
  ];
}

const town = await openTown(t, { pollSeconds: 0.6 });
const program = await device(town);
const rest = () => new Promise((resolve) => setTimeout(resolve, 200));
const typed = (one: Town['max'], user_code: string | undefined, allow = true) =>
  one.api('POST', '/device', { user_code, allow });

t.test('a member types the code and sees who asks for which hub; the device gets into that hub alone', async (t) => {
  const { body } = await begin(town, program);
  t.notOk(body.verification_uri_complete, 'a code is typed, never followed as a link');
  const question = await (await town.max.api('POST', '/device/look-up', { user_code: body.user_code })).json();
  t.match(question, { hub: { slug: 'acme' }, member: true, address: '127.0.0.1' });
  t.equal((await typed(town.max, body.user_code)).status, 204);
  const { status, body: tokens } = await posted(town, 'token', polling(program, body.device_code));
  t.equal(status, 200);
  t.equal(await entrance(town, '/hub/acme/mcp', tokens.access_token), '200');
  t.equal(await entrance(town, '/hub/other/mcp', tokens.access_token), '401 invalid_token');
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  t.equal((await fetch(`${town.url}/api/v1/session`, { headers })).status, 401);
});

for (const [name, resource] of [
  ['no hub', ''],
  ['a URL without a hub', town.url],
  ['the API', `${town.url}/api/v1`],
  ['a resource elsewhere', 'https://elsewhere.example/hub/acme'],
] as const) {
  t.test(`a device that asks for ${name} gets no code, or no token`, async (t) => {
    const { status, body } = await begin(town, program, resource);
    if (status === 200) {
      await typed(town.max, body.user_code);
      const polled = await posted(town, 'token', polling(program, body.device_code));
      t.notOk(polled.body.access_token);
    } else t.equal(body.error, 'invalid_target');
  });
}

t.test('of two answers at once one counts, and the other leaves nothing', async (t) => {
  for (const first of [true, false]) {
    const { body } = await begin(town, program);
    const before = (await grantsOf(town.max)).length;
    const answers = await Promise.all([first, !first].map((allow) => typed(town.max, body.user_code, allow)));
    t.same(answers.map(({ status }) => status).sort(), [204, 404]);
    const isAllowed = answers[first ? 0 : 1]?.status === 204;
    const polled = await posted(town, 'token', polling(program, body.device_code));
    t.equal(polled.body.error, isAllowed ? undefined : 'access_denied');
    t.equal((await grantsOf(town.max)).length, before + (isAllowed ? 1 : 0));
  }
});

const grantsOf = async (one: Town['max']): Promise<readonly object[]> => {
  const { items }: { items: object[] } = await (await one.api('GET', '/grants')).json();
  return items;
};

t.test('two hubs at once are no hub', async (t) => {
  const { status, body } = await posted(town, 'device-authorization', [
    ['client_id', program.clientId],
    ['resource', resourceOf(town)],
    ['resource', resourceOf(town, 'other')],
  ]);
  t.equal(status, 400);
  t.equal(body.error, 'invalid_target');
});

t.test('who is not a member is told so and lets nothing in', async (t) => {
  const { body } = await begin(town, program);
  const question = await (await town.eve.api('POST', '/device/look-up', { user_code: body.user_code })).json();
  t.equal(question.member, false);
  t.equal((await typed(town.eve, body.user_code)).status, 403);
  t.notOk((await posted(town, 'token', polling(program, body.device_code))).body.access_token);
});

t.test('who left the hub after typing the code let in nobody', async (t) => {
  const { body } = await begin(town, program);
  await typed(town.max, body.user_code);
  await town.max.api('POST', '/hubs/acme/leave');
  const { body: tokens } = await posted(town, 'token', polling(program, body.device_code));
  if (tokens.access_token)
    t.equal(await entrance(town, '/hub/acme/mcp', tokens.access_token), '403 membership_required');
  await putMember(town.ana, 'acme', town.ids.Max ?? '');
});

t.test('a code is redeemed by the program that asked, once', async (t) => {
  const { body } = await begin(town, program);
  await typed(town.max, body.user_code);
  const stranger = await device(town);
  t.notOk((await posted(town, 'token', polling(stranger, body.device_code))).body.access_token);
  await rest();
  const other = but(polling(program, body.device_code), 'resource', resourceOf(town, 'other'));
  t.notOk((await posted(town, 'token', other)).body.access_token, 'nor for another hub');
});

t.test('the second use of a device code ends the tokens of the first', async (t) => {
  const { body } = await begin(town, program);
  await typed(town.max, body.user_code);
  const { body: tokens } = await posted(town, 'token', polling(program, body.device_code));
  await rest();
  t.match(await posted(town, 'token', polling(program, body.device_code)), { body: { error: 'invalid_grant' } });
  t.equal(await entrance(town, '/hub/acme/mcp', tokens.access_token), '401 invalid_token');
});

t.test('the code that people type is not the one that gives tokens', async (t) => {
  const { body } = await begin(town, program);
  await typed(town.max, body.user_code);
  const { status } = await posted(town, 'token', polling(program, body.user_code));
  t.equal(status, 400);
});

t.test('a forged post allows nothing', async (t) => {
  const { body } = await begin(town, program);
  const cookie = [...town.max.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  const whole = { 'content-type': 'application/json', origin: town.url, 'x-vp-proof': town.max.proof ?? '', cookie };
  for (const changed of [
    { ...whole, origin: 'https://evil.example' },
    { ...whole, 'x-vp-proof': 'x'.repeat(43) },
  ]) {
    const forged = JSON.stringify({ user_code: body.user_code, allow: true });
    const response = await fetch(`${town.url}/api/v1/device`, { method: 'POST', headers: changed, body: forged });
    t.ok([401, 403].includes(response.status), `${response.status}`);
  }
  t.match(await posted(town, 'token', polling(program, body.device_code)), {
    body: { error: 'authorization_pending' },
  });
});

t.test('guessing codes is slowed down for the person and told, and the guessed device waits on', async (t) => {
  const watched = await openTown(t);
  const waiting = await device(watched);
  const { body } = await begin(watched, waiting);
  let status = 404;
  for (let round = 0; round < 60 && status === 404; round += 1) {
    const code = `BBBB-BB${'BCDFGHJKLM'[Math.floor(round / 10)]}${'BCDFGHJKLM'[round % 10]}`;
    status = (await watched.eve.api('POST', '/device/look-up', { user_code: code })).status;
  }
  t.equal(status, 429);
  t.equal((await typed(watched.eve, body.user_code)).status, 429, 'deciding is the same as looking');
  t.ok(watched.lines.some(({ security }) => security === 'device_codes_guessed'));
  t.equal((await typed(watched.max, body.user_code)).status, 204, 'others go on');
});

t.test('guessing the other code gives nothing', async (t) => {
  for (let round = 0; round < 20; round += 1) {
    const { status, body } = await posted(town, 'token', polling(program, String(round).padStart(43, 'x')));
    t.ok([400, 429].includes(status));
    t.notOk(body.access_token);
  }
});
