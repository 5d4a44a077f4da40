import t, { type Test } from 'tap';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createBrowser, inviteMember, password, setUpOwner, type TestBrowser } from '../test-browser.ts';
import { createVariantServer, origin, startTestServer, type TestServer } from '../test-server.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const signIn = { email: 'ana@example.com', password };

async function readErrorCode(response: Response): Promise<string> {
  return (await response.json()).code;
}

/** Signed in as the first owner, with a clock that is set by hand. */
async function started(t: Test) {
  const clock = fakeClock();
  const api = await startTestServer(t, { clock });
  return { clock, api, ana: await setUpOwner(api) };
}

/** Another browser with the same cookies and proof. */
function copyBrowser(api: TestServer, browser: TestBrowser): TestBrowser {
  const copy = createBrowser(api);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  copy.proof = browser.proof;
  return copy;
}

t.test('the setup link creates the first owner once, and revokes the owner key', async (t) => {
  const api = await startTestServer(t);
  t.same(await (await createBrowser(api).ask('GET', '/api/v1/sign-in-options')).json(), {
    setup_needed: true,
    single_sign_on: null,
  });
  t.match(await (await api.ask('GET', '/api/v1/session')).json(), { person: null, via: 'owner_key', role: 'owner' });
  const first = await api.identity.setup.createSecret();
  const second = await api.identity.setup.createSecret();
  const lookUp = async (secret: string) =>
    (await createBrowser(api).ask('POST', '/api/v1/setup/look-up', { secret })).json();
  t.same(await lookUp(first), { valid: false }, 'a dead link is found before the form is filled in');
  t.same(await lookUp(second), { valid: true });
  const input = { name: 'Ana', email: 'ana@example.com', password };
  const browser = createBrowser(api);
  const old = await browser.signIn('/api/v1/setup', { ...input, secret: first });
  t.equal(old.status, 410, 'a newer link ends the one before');
  t.equal(await readErrorCode(old), 'LINK_ENDED');
  t.equal(
    await readErrorCode(await browser.signIn('/api/v1/setup', { ...input, secret: second, password: 'password1234' })),
    'PASSWORD_WEAK',
  );
  const setUp = await browser.signIn('/api/v1/setup', { ...input, secret: second });
  t.equal(setUp.status, 201);
  t.match(await setUp.json(), {
    person: { name: 'Ana', role: 'owner', email: 'ana@example.com' },
    proof: /^[\w-]{43}$/,
  });
  t.match(await (await browser.ask('GET', '/api/v1/session')).json(), { person: { name: 'Ana' }, via: 'session' });
  t.same(await (await browser.ask('GET', '/api/v1/setup')).json(), { needed: false });
  const ended = await api.ask('GET', '/api/v1/runs');
  t.equal(ended.status, 401, 'the owner key has ended');
  const problem = await ended.json();
  t.equal(problem.code, 'CREDENTIAL_INVALID');
  t.match(problem.cure, /vp login/);
  t.equal(
    await readErrorCode(await createBrowser(api).signIn('/api/v1/setup', { ...input, secret: second })),
    'SETUP_DONE',
  );
  await t.rejects(api.identity.setup.createSecret(), { code: 'SETUP_DONE' });
});

t.test('two browsers with one setup link create one owner', async (t) => {
  const api = await startTestServer(t);
  const secret = await api.identity.setup.createSecret();
  const input = (name: string) => ({ secret, name, email: `${name}@example.com`, password });
  const answers = await Promise.all([
    createBrowser(api).signIn('/api/v1/setup', input('ana')),
    createBrowser(api).signIn('/api/v1/setup', input('eve')),
  ]);
  t.same(answers.map(({ status }) => status).sort(), [201, 409]);
});

t.test('the setup link expires after half an hour', async (t) => {
  const clock = fakeClock();
  const api = await startTestServer(t, { clock });
  const secret = await api.identity.setup.createSecret();
  clock.advance(30 * minuteMs);
  const late = await createBrowser(api).signIn('/api/v1/setup', {
    secret,
    name: 'A',
    email: 'a@example.com',
    password,
  });
  t.equal(await readErrorCode(late), 'LINK_ENDED');
});

t.test('sign-in sets cookies that scripts, other sites and other paths cannot read', async (t) => {
  const { api } = await started(t);
  const browser = createBrowser(api);
  const answer = await browser.signIn('/api/v1/session', { ...signIn, email: 'ANA@Example.com' });
  t.equal(answer.status, 201, 'however the email is written');
  const lines = answer.headers.getSetCookie();
  t.equal(lines.length, 2);
  for (const line of lines)
    t.match(line, /^vp-(session|device)-7700=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  const { proof } = await answer.json();
  t.notOk(lines.some((line) => line.includes(proof)));
  t.equal(answer.headers.get('cache-control'), 'no-store');
});

t.test('behind a TLS proxy the cookies are for that host and https only', async (t) => {
  const real = await startTestServer(t);
  await setUpOwner(real);
  const publicUrls = [new URL('https://vp.example.com')];
  const app = createVariantServer(real, { publicUrl: 'https://vp.example.com', publicUrls });
  const ask = (headers: Record<string, string>) =>
    app.fetch(
      new Request('http://vp.example.com/api/v1/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(signIn),
      }),
    );
  const answer = await ask({ origin: 'https://vp.example.com' });
  t.equal(answer.status, 201);
  for (const line of answer.headers.getSetCookie())
    t.match(line, /^__Host-vp-(session|device)-443=.*SameSite=Strict; Secure$/);
  t.equal((await ask({ origin: 'http://vp.example.com' })).status, 403);
  t.equal((await ask({ origin: 'https://vp.example.com:8443' })).status, 403);
});

t.test('a wrong password, an unknown email and garbage are refused alike', async (t) => {
  const { api } = await started(t);
  const browser = createBrowser(api);
  const wrong = await browser.signIn('/api/v1/session', { ...signIn, password: 'something-else-entirely' });
  const unknown = await browser.signIn('/api/v1/session', { ...signIn, email: 'nobody@example.com' });
  t.equal(wrong.status, 403);
  const problem = await wrong.json();
  t.equal(problem.code, 'SIGN_IN_REFUSED');
  t.same(problem, await unknown.json());
  t.equal(await readErrorCode(await browser.signIn('/api/v1/session', { ...signIn, password: '' })), 'REQUEST_INVALID');
  t.equal(
    await readErrorCode(await browser.signIn('/api/v1/session', { ...signIn, password: 'x'.repeat(5000) })),
    'REQUEST_INVALID',
  );
  t.same(browser.cookies.size, 0);
  t.match(
    api.security.filter(({ event }) => event === 'sign_in_failed'),
    [{ level: 'warn', account: 'ana@example.com', address: '10.0.0.1' }, { account: 'nobody@example.com' }],
  );
  t.notMatch(JSON.stringify(api.security), /something-else-entirely/);
});

t.test('guessing is slowed down; the owner signs in from other networks, and from known browsers', async (t) => {
  const { api, ana, clock } = await started(t);
  const guesser = createBrowser(api);
  const guess = () =>
    guesser.signIn('/api/v1/session', { ...signIn, password: 'guess-guess-guess' }, { address: '6.6.6.6' });
  const statuses: number[] = [];
  for (let round = 0; round < 8; round += 1) statuses.push((await guess()).status);
  t.same(statuses, [403, 403, 403, 403, 403, 403, 429, 429]);
  const limited = await guess();
  t.equal(limited.headers.get('retry-after'), '1');
  t.equal(await readErrorCode(limited), 'SIGN_IN_LIMITED');
  const right = await createBrowser(api).signIn('/api/v1/session', signIn, { address: '6.6.6.6' });
  t.equal(right.status, 429, 'the right password gets no further there');
  t.equal((await createBrowser(api).signIn('/api/v1/session', signIn, { address: '10.9.9.9' })).status, 201);
  t.equal((await ana.signIn('/api/v1/session', signIn, { address: '6.6.6.6' })).status, 201, 'her browser is known');
  clock.advance(15 * minuteMs);
  t.equal((await guess()).status, 403);
  t.ok(api.security.some(({ event }) => event === 'sign_in_limited'));
});

t.test('a browser is known for its own person only', async (t) => {
  const { api, ana } = await started(t);
  await inviteMember(api, ana, 'Max', 'member');
  const statuses: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const attempt = { email: 'max@example.com', password: 'guess-guess-guess' };
    statuses.push((await ana.signIn('/api/v1/session', attempt, { address: '6.6.6.6' })).status);
  }
  t.equal(statuses.at(-1), 429);
});

t.test('a session needs both cookie and proof', async (t) => {
  const { api, ana } = await started(t);
  const stolen = await ana.ask('GET', '/api/v1/runs', undefined, { withoutProof: true });
  t.equal(stolen.status, 401);
  t.equal(await readErrorCode(stolen), 'CREDENTIAL_INVALID');
  t.match(api.security.at(-1), { event: 'session_without_proof', level: 'warn' });
  const proofOnly = createBrowser(api);
  proofOnly.proof = ana.proof;
  t.equal(await readErrorCode(await proofOnly.ask('GET', '/api/v1/runs')), 'CREDENTIAL_MISSING');
  const max = await inviteMember(api, ana, 'Max', 'member');
  const mixed = copyBrowser(api, ana);
  mixed.proof = max.proof;
  t.equal((await mixed.ask('GET', '/api/v1/runs')).status, 401, 'the proof of another session');
  t.equal((await ana.ask('GET', '/api/v1/runs')).status, 200, 'and none of that ends hers');
});

t.test('changing requests must come from a page of this origin, port included', async (t) => {
  const { api, ana } = await started(t);
  const body = { instance_id: 'a' };
  for (const foreign of [
    'http://localhost:3200',
    'http://evil.example',
    'https://localhost:7700',
    'null',
    'http://localhost:77000',
  ]) {
    const refused = await ana.ask('POST', '/api/v1/instances', body, { headers: { origin: foreign } });
    t.equal(refused.status, 403, foreign);
    t.equal(await readErrorCode(refused), 'ORIGIN_REFUSED');
  }
  t.equal((await ana.ask('POST', '/api/v1/instances', body, { withoutOrigin: true })).status, 403);
  t.equal((await ana.ask('DELETE', '/api/v1/session', undefined, { withoutOrigin: true })).status, 403);
  t.equal((await ana.ask('GET', '/api/v1/instances', undefined, { withoutOrigin: true })).status, 200);
  t.equal((await ana.ask('POST', '/api/v1/instances', body)).status, 201);
  for (const path of [
    '/api/v1/session',
    '/api/v1/setup',
    '/api/v1/invitations/look-up',
    '/api/v1/invitations/accept',
  ]) {
    const input = { ...signIn, secret: 'x'.repeat(43), name: 'Eve' };
    const { email, password: word, secret, name } = input;
    const fullBody = path.endsWith('session')
      ? signIn
      : path.endsWith('look-up')
        ? { secret }
        : { secret, name, email, password: word };
    const foreign = await createBrowser(api).ask('POST', path, fullBody, {
      headers: { origin: 'http://localhost:3200' },
    });
    t.equal(await readErrorCode(foreign), 'ORIGIN_REFUSED', path);
    t.equal(
      await readErrorCode(await createBrowser(api).ask('POST', path, fullBody, { withoutOrigin: true })),
      'ORIGIN_REFUSED',
      path,
    );
  }
});

t.test('a form of another site cannot send JSON', async (t) => {
  const { api } = await started(t);
  const request = new Request(`${origin}/api/v1/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'text/plain' },
    body: JSON.stringify(signIn),
  });
  t.equal((await api.fetch(request)).status, 415);
});

t.test('signing out revokes cookie and proof at once', async (t) => {
  const { api, ana } = await started(t);
  const thief = copyBrowser(api, ana);
  t.equal((await thief.ask('GET', '/api/v1/runs')).status, 200);
  const out = await ana.ask('DELETE', '/api/v1/session');
  t.equal(out.status, 204);
  t.match(out.headers.getSetCookie(), [/^vp-session-7700=; Path=\/; Max-Age=0/]);
  const refused = await thief.ask('GET', '/api/v1/runs');
  t.equal(refused.status, 401);
  t.equal(await readErrorCode(refused), 'CREDENTIAL_INVALID');
  t.ok(api.security.some(({ event }) => event === 'session_ended'));
});

t.test('sessions are listed with their address, and revoked one by one', async (t) => {
  const { api, ana } = await started(t);
  const phone = createBrowser(api);
  await phone.signIn('/api/v1/session', signIn, { address: '10.0.0.7', headers: { 'user-agent': 'a phone' } });
  const { items } = await (await ana.ask('GET', '/api/v1/sessions')).json();
  t.equal(items.length, 2);
  const other = items.find(({ current }: { current: boolean }) => !current);
  t.match(other, { address: '10.0.0.7', client: 'a phone', current: false });
  t.notMatch(JSON.stringify(items), new RegExp([...phone.cookies.values(), phone.proof].join('|')));
  const max = await inviteMember(api, ana, 'Max', 'member');
  t.equal(
    await readErrorCode(await max.ask('DELETE', `/api/v1/sessions/${other.session_id}`)),
    'SESSION_UNKNOWN',
    'not by others',
  );
  t.equal((await phone.ask('GET', '/api/v1/runs')).status, 200);
  t.equal((await ana.ask('DELETE', `/api/v1/sessions/${other.session_id}`)).status, 204);
  t.equal((await phone.ask('GET', '/api/v1/runs')).status, 401);
  t.equal(await readErrorCode(await ana.ask('DELETE', `/api/v1/sessions/${other.session_id}`)), 'SESSION_UNKNOWN');
});

t.test('the cookie is rotated without disturbing concurrent calls', async (t) => {
  const { api, ana, clock } = await started(t);
  const before = ana.cookies.get('vp-session-7700');
  clock.advance(15 * minuteMs);
  const early = copyBrowser(api, ana);
  const answers = await Promise.all([ana.ask('GET', '/api/v1/runs'), early.ask('GET', '/api/v1/runs')]);
  t.same(
    answers.map(({ status }) => status),
    [200, 200],
  );
  t.equal(answers.flatMap(({ headers }) => headers.getSetCookie()).length, 1, 'one of them brings the new one');
  const [renewed, other] = ana.cookies.get('vp-session-7700') === before ? [early, ana] : [ana, early];
  t.not(renewed.cookies.get('vp-session-7700'), before);
  t.equal((await renewed.ask('GET', '/api/v1/runs')).status, 200);
  t.equal((await other.ask('GET', '/api/v1/runs')).status, 200, 'the old one is good for calls under way');
  clock.advance(minuteMs + 1);
  t.equal((await other.ask('GET', '/api/v1/runs')).status, 401, 'and for no longer');
  t.ok(api.security.some(({ event, level }) => event === 'session_cookie_reused' && level === 'warn'));
  t.equal((await renewed.ask('GET', '/api/v1/runs')).status, 401, 'two hold one session: it is over');
});

t.test('a new cookie that never arrived is issued again', async (t) => {
  const { api, ana, clock } = await started(t);
  const cookies = copyBrowser(api, ana);
  clock.advance(15 * minuteMs);
  await ana.ask('GET', '/api/v1/runs');
  clock.advance(5 * minuteMs);
  const again = await cookies.ask('GET', '/api/v1/runs');
  t.equal(again.status, 200);
  t.equal(again.headers.getSetCookie().length, 1);
  t.equal((await cookies.ask('GET', '/api/v1/runs')).status, 200);
});

t.test('a cookie without its proof is not rotated and does not end the session', async (t) => {
  const { api, ana, clock } = await started(t);
  const old = copyBrowser(api, ana);
  clock.advance(15 * minuteMs);
  t.same((await ana.ask('GET', '/api/v1/runs', undefined, { withoutProof: true })).headers.getSetCookie(), []);
  await ana.ask('GET', '/api/v1/runs');
  await ana.ask('GET', '/api/v1/runs');
  clock.advance(5 * minuteMs);
  t.equal((await old.ask('GET', '/api/v1/runs', undefined, { withoutProof: true })).status, 401);
  t.equal((await ana.ask('GET', '/api/v1/runs')).status, 200);
});

t.test('a session expires after a week without use, and after a month in any case', async (t) => {
  const { api, ana, clock } = await started(t);
  const idle = createBrowser(api);
  await idle.signIn('/api/v1/session', signIn);
  for (let day = 0; day < 29; day += 1) {
    clock.advance(dayMs);
    t.equal((await ana.ask('GET', '/api/v1/session')).status, 200, `day ${day + 1}`);
  }
  t.equal((await idle.ask('GET', '/api/v1/session')).status, 401);
  t.equal((await (await ana.ask('GET', '/api/v1/sessions')).json()).items.length, 1);
  clock.advance(dayMs + 1);
  t.equal((await ana.ask('GET', '/api/v1/session')).status, 401);
  await api.identity.deleteExpired();
});

t.test('a new password revokes all other sessions, and requires the current one', async (t) => {
  const { api, ana } = await started(t);
  const phone = createBrowser(api);
  await phone.signIn('/api/v1/session', signIn);
  const change = (current: string, next: string) => ana.ask('PUT', '/api/v1/session/password', { current, next });
  const next = 'window-otter-31-basalt';
  t.equal(await readErrorCode(await change('not-the-present-one', next)), 'PASSWORD_WRONG');
  t.equal(await readErrorCode(await change(password, 'ana-ana-ana-ana')), 'PASSWORD_WEAK');
  t.equal((await change(password, next)).status, 204);
  t.equal((await phone.ask('GET', '/api/v1/runs')).status, 401);
  t.equal((await ana.ask('GET', '/api/v1/runs')).status, 200);
  t.equal((await createBrowser(api).signIn('/api/v1/session', signIn)).status, 403);
  t.equal((await createBrowser(api).signIn('/api/v1/session', { ...signIn, password: next })).status, 201);
  let limited = false;
  for (let round = 0; round < 8 && !limited; round += 1)
    limited = (await readErrorCode(await change('not-the-present-one', next))) === 'SIGN_IN_LIMITED';
  t.ok(limited, 'guessing it from an open session is held back too');
});

t.test('calls without a credential are limited by address', async (t) => {
  const { api } = await started(t);
  const browser = createBrowser(api);
  let last = 0;
  for (let round = 0; round < 125 && last !== 429; round += 1) {
    const looked = await browser.ask(
      'POST',
      '/api/v1/invitations/look-up',
      { secret: 'x'.repeat(43) },
      { address: '6.6.6.6' },
    );
    last = looked.status;
  }
  t.equal(last, 429);
  t.equal(api.security.filter(({ event }) => event === 'calls_limited').length, 1, 'told once');
  t.equal((await browser.ask('POST', '/api/v1/invitations/look-up', { secret: 'x'.repeat(43) })).status, 410);
});
