/** Who may not give leave: forged posts, other browsers, people who are not members. */
import t from 'tap';
import { answer, password, type RealBrowser, realBrowser, uidOf } from '../server/oauth-plane.ts';
import { asking, landed, posted, redemption, registered } from './program.ts';
import { entrance, openTown, putMember } from './town.ts';

const town = await openTown(t);
const program = await registered(town, undefined, { client_name: 'A <b>probe</b>' });

/** The way up to the question, in somebody's browser: its uid. */
async function asked(one: RealBrowser): Promise<string> {
  return uidOf(await answer(one, await one.go(asking(program).url), true));
}

const shown = async (one: RealBrowser, uid: string) => (await one.api('GET', `/interactions/${uid}`)).json();

t.test(
  'the question says who asks, for which hub, what it may do, for how long, and whether one is a member',
  async (t) => {
    const question = await shown(town.max, await asked(town.max));
    t.match(question, {
      kind: 'consent',
      client: {
        name: 'A <b>probe</b>',
        id: program.clientId,
        verified: false,
        registered: 'dynamic',
        redirect_host: '127.0.0.1:45678',
      },
      hub: { slug: 'acme', name: 'The acme hub' },
      member: true,
    });
    t.ok(question.may.length > 0);
    t.ok(question.lasts.access_ms > 0 && question.lasts.refresh_ms >= question.lasts.access_ms);
  },
);

type Forging = (uid: string) => Promise<Response>;
const decide = (uid: string, headers: Record<string, string>, body = '{"allow":true}'): Promise<Response> =>
  fetch(`${town.url}/api/v1/interactions/${uid}`, { method: 'POST', headers, body });
const cookies = (one: RealBrowser): string =>
  [...one.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
const json = { 'content-type': 'application/json' };
const whole = () => ({
  ...json,
  origin: town.url,
  cookie: cookies(town.max),
  'x-vp-proof': town.max.proof ?? '',
});
const less = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(whole()).filter(([one]) => one !== name));

const forgeries: readonly (readonly [name: string, forge: Forging, statuses: readonly number[]])[] = [
  ['of another page', (uid) => decide(uid, { ...whole(), origin: 'https://evil.example' }), [401, 403]],
  ['of another port of this host', (uid) => decide(uid, { ...whole(), origin: 'http://127.0.0.1:3200' }), [401, 403]],
  ['of a page without an origin', (uid) => decide(uid, { ...whole(), origin: 'null' }), [401, 403]],
  ['that names no origin', (uid) => decide(uid, less('origin')), [401, 403]],
  ['without the proof that our page keeps', (uid) => decide(uid, less('x-vp-proof')), [401, 403]],
  [
    'with a proof of somebody else',
    (uid) => decide(uid, { ...whole(), 'x-vp-proof': town.eve.proof ?? '' }),
    [401, 403],
  ],
  ['without cookies', (uid) => decide(uid, less('cookie')), [401, 403, 410]],
  [
    'as a form',
    (uid) => decide(uid, { ...whole(), 'content-type': 'application/x-www-form-urlencoded' }, 'allow=true'),
    [400, 415],
  ],
  ['as plain text', (uid) => decide(uid, { ...whole(), 'content-type': 'text/plain' }), [400, 415]],
  ['with more in it than the answer', (uid) => decide(uid, whole(), '{"allow":true,"scope":"api"}'), [400, 422]],
];
for (const [name, forge, statuses] of forgeries) {
  t.test(`a post ${name} gives nothing`, async (t) => {
    const uid = await asked(town.max);
    const { status } = await forge(uid);
    t.ok(statuses.includes(status), `${status}`);
    t.equal((await shown(town.max, uid)).kind, 'consent', 'the question still stands');
  });
}

t.test('the answer is not given by opening an address', async (t) => {
  const uid = await asked(town.max);
  for (const path of [`/interaction/${uid}?allow=true`, `/api/v1/interactions/${uid}?allow=true`]) {
    const response = await town.max.go(path);
    t.notMatch(response.headers.get('location'), /code=/);
  }
  t.equal((await shown(town.max, uid)).kind, 'consent');
});

t.test('another browser sees and answers nothing, whoever sits there', async (t) => {
  const uid = await asked(town.max);
  const twin = realBrowser(town.url);
  const same = await twin.api('POST', '/session', { email: 'max@example.com', password });
  t.equal(same.status, 201);
  for (const one of [twin, town.eve, town.ana, realBrowser(town.url)]) {
    t.equal((await one.api('GET', `/interactions/${uid}`)).status, 410);
    t.ok([401, 410].includes((await one.api('POST', `/interactions/${uid}`, { allow: true })).status));
  }
});

t.test('a browser that goes on with another one’s way gets no code', async (t) => {
  const question = asking(program);
  const uid = uidOf(await answer(town.max, await town.max.go(question.url), true));
  const { redirect_to: onwards } = await (await town.max.api('POST', `/interactions/${uid}`, { allow: true })).json();
  const stolen = await town.eve.go(onwards);
  t.notMatch(stolen.headers.get('location'), /code=/);
});

t.test('a question is answered once', async (t) => {
  const uid = await asked(town.max);
  const first = await (await town.max.api('POST', `/interactions/${uid}`, { allow: true })).json();
  const back = await town.max.go(first.redirect_to);
  t.match(back.headers.get('location'), /code=/);
  t.equal((await town.max.api('POST', `/interactions/${uid}`, { allow: true })).status, 410);
  const again = await town.max.go(first.redirect_to);
  t.notMatch(again.headers.get('location'), /code=/);
});

t.test('who is not a member is told so and gives nothing, but may refuse', async (t) => {
  const uid = await asked(town.eve);
  t.match(await shown(town.eve, uid), { member: false, hub: { slug: 'acme' } });
  t.notMatch(JSON.stringify(await shown(town.eve, uid)), 'The acme hub', 'not even what the hub is called');
  const refused = await town.eve.api('POST', `/interactions/${uid}`, { allow: true });
  t.equal(refused.status, 403);
  const query = await landed(town.eve, asking(program), false);
  t.equal(query.get('error'), 'access_denied');
  t.equal(query.get('iss'), town.url);
});

t.test('who left while the question stood gives nothing', async (t) => {
  const uid = await asked(town.max);
  t.equal((await town.max.api('POST', '/hubs/acme/leave')).status, 204);
  t.equal((await town.max.api('POST', `/interactions/${uid}`, { allow: true })).status, 403);
  await putMember(town.ana, 'acme', town.ids.Max ?? '');
});

t.test('who left after the answer: the code may be redeemed, and opens nothing', async (t) => {
  const question = asking(program);
  const query = await landed(town.max, question);
  t.equal((await town.max.api('POST', '/hubs/acme/leave')).status, 204);
  const { body } = await posted(town, 'token', redemption(program, query.get('code') ?? '', question));
  if (body.access_token) t.equal(await entrance(town, '/hub/acme/mcp', body.access_token), '403 membership_required');
  else t.equal(body.error, 'invalid_grant');
  await putMember(town.ana, 'acme', town.ids.Max ?? '');
});

t.test('who signed out meanwhile answers nothing', async (t) => {
  const one = realBrowser(town.url);
  await one.api('POST', '/session', { email: 'max@example.com', password });
  const uid = await asked(one);
  t.equal((await one.api('DELETE', '/session')).status, 204);
  t.equal((await one.api('POST', `/interactions/${uid}`, { allow: true })).status, 401);
});

t.test('a question that is late is none', async (t) => {
  const hurried = await openTown(t, { interactionSeconds: 1 });
  const start = await hurried.max.go(asking(await registered(hurried)).url);
  await new Promise((resolve) => setTimeout(resolve, 1600));
  t.equal((await hurried.max.api('POST', `/interactions/${uidOf(start)}`, { allow: true })).status, 410);
});

t.test('somebody else who signs in meanwhile answers nothing', async (t) => {
  const one = realBrowser(town.url);
  await one.api('POST', '/session', { email: 'max@example.com', password });
  const uid = await asked(one);
  await one.api('POST', '/session', { email: 'ana@example.com', password });
  const swapped = await one.api('POST', `/interactions/${uid}`, { allow: true });
  t.equal((await swapped.json()).code, 'INTERACTION_ENDED');
});

t.test('each program is asked about, also where an earlier one was allowed', async (t) => {
  await landed(town.max, asking(program));
  const second = await registered(town);
  const start = await town.max.go(asking(second).url);
  t.match(start.headers.get('location'), /^\/interaction\//);
  t.equal((await shown(town.max, uidOf(await answer(town.max, start, true)))).kind, 'consent');
});

t.test('the answer names the issuer, so that a program that asked two servers is not misled (RFC 9207)', async (t) => {
  const query = await landed(town.max, asking(program));
  t.equal(query.get('iss'), town.url);
  t.equal(query.get('state'), 'the-state');
});

t.test('the page cannot be framed, nor leave its address to others', async (t) => {
  const page = await fetch(`${town.url}/interaction/${await asked(town.max)}`);
  t.equal(page.headers.get('x-frame-options'), 'DENY');
  t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/);
  t.match(page.headers.get('referrer-policy'), /no-referrer|same-origin/);
});
