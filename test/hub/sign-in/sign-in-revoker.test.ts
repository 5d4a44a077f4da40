/** Revokes sign-ins at many servers: no server delays another, and each gets limited time. */
import t from 'tap';
import { type RemovedSignIn, SignInRevoker } from '../../../src/hub/sign-in/sign-in-revoker.ts';
import type { SecurityEvent } from '../../../src/identity/context.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

/** Tokens of a server with a revocation endpoint; hosts named `silent…` never respond. */
function createRemovedSignIn(hubId: string, host: string, name: string): RemovedSignIn {
  const server = `https://${host}.example`;
  const tokens = {
    sign_in: name,
    origin: 'https://tools.example',
    client: { client_id: 'c' },
    access_token: `access of ${name}`,
    refresh_token: `refresh of ${name}`,
    issuer: server,
    token_endpoint: `${server}/token`,
    revocation_endpoint: `${server}/revoke`,
  };
  return { hubId, connectionId: name, name, tokens };
}

function createRemovedSignIns(count: number, hubId: string, host: string): RemovedSignIn[] {
  return Array.from({ length: count }, (_, index) => createRemovedSignIn(hubId, host, `${host} ${index}`));
}

/** A revoker with fake servers, and the events so far. */
function startRevoker(logEvent?: (event: SecurityEvent) => void) {
  const clock = fakeClock();
  const events: SecurityEvent[] = [];
  const requests: string[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    requests.push(`${new URL(url).host} ${init.body}`);
    if (!new URL(url).host.startsWith('silent')) return new Response('');
    return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  };
  const revoker = new SignInRevoker({
    clock,
    fetch,
    logSecurityEvent: logEvent ?? ((event) => events.push(event)),
    onError: onError,
  });
  const settle = async (): Promise<void> => {
    for (let ticks = 0; ticks < 40; ticks += 1) await new Promise(setImmediate);
  };
  return {
    revoker: revoker,
    events: events,
    requests: requests,
    errors: errors,
    settle,
    async advanceSeconds(seconds: number): Promise<void> {
      for (let second = 0; second < seconds; second += 1) {
        await settle();
        clock.advance(1000);
      }
      await settle();
    },
  };
}

const revokedEvent = { event: 'hub_sign_in_revoked', refresh: 'revoked', access: 'revoked' };

t.test('a silent server does not delay another one', async (t) => {
  const { revoker, events, settle } = startRevoker();
  revoker.start([
    ...createRemovedSignIns(30, 'theirs', 'silent'),
    createRemovedSignIn('theirs', 'other', 'beside them'),
  ]);
  revoker.start([createRemovedSignIn('ours', 'good', 'later')]);
  await settle();
  t.match(events, [
    { ...revokedEvent, hub: 'theirs', name: 'beside them' },
    { ...revokedEvent, hub: 'ours', name: 'later' },
  ]);
});

t.test('however many silent servers there are, the others get their turn', async (t) => {
  const { revoker, events, advanceSeconds } = startRevoker();
  const servers = Array.from({ length: 50 }, (_, index) => createRemovedSignIns(60, 'theirs', `silent${index}`));
  revoker.start(servers.flat());
  revoker.start(servers.flat());
  revoker.start([createRemovedSignIn('ours', 'good', 'ours')]);
  await advanceSeconds(130);
  t.match(
    events.find(({ hub }) => hub === 'ours'),
    revokedEvent,
  );
});

t.test('a sign-in without a known revocation endpoint is logged as not revoked', async (t) => {
  const { revoker, requests, events, settle } = startRevoker();
  const { tokens, ...signIn } = createRemovedSignIn('ours', 'good', 'tools');
  const { revocation_endpoint, refresh_token, ...beforeTokens } = tokens;
  revoker.start([
    { ...signIn, tokens: { ...beforeTokens, refresh_token } },
    { ...signIn, tokens: beforeTokens },
    { ...signIn, tokens: { ...tokens, revocation_endpoint: null } },
  ]);
  await settle();
  const logLine = {
    event: 'hub_sign_in_revocation_failed',
    level: 'warn',
    hub: 'ours',
    connection: 'tools',
    name: 'tools',
  };
  t.same(events, [
    { ...logLine, refresh: 'endpoint unknown', access: 'endpoint unknown' },
    { ...logLine, refresh: 'none', access: 'endpoint unknown' },
  ]);
  t.same(requests, []);
});

t.test('a failing log stops neither revocations nor the shutdown', async (t) => {
  const logError = new Error('the log is gone');
  const { revoker, requests, errors, settle } = startRevoker(() => {
    throw logError;
  });
  for (const batch of [
    createRemovedSignIns(5, 'ours', 'good'),
    createRemovedSignIns(1, 'ours', 'good'),
    createRemovedSignIns(1, 'ours', 'other'),
  ])
    revoker.start(batch);
  await settle();
  t.equal(requests.length, 14);
  t.same(errors, Array(7).fill(logError));
  await t.resolves(revoker.close());
});

t.test('tokens that a server issued again are not revoked', async (t) => {
  const { revoker, requests, events, settle } = startRevoker();
  const [oldSignIn, newSignIn] = [
    createRemovedSignIn('ours', 'good', 'before'),
    createRemovedSignIn('ours', 'good', 'after'),
  ];
  const reusedTokens = { ...newSignIn.tokens, refresh_token: oldSignIn.tokens.refresh_token };
  revoker.start([{ ...oldSignIn, replacement: reusedTokens }]);
  revoker.start([{ ...oldSignIn, replacement: { ...newSignIn.tokens, access_token: oldSignIn.tokens.access_token } }]);
  await settle();
  t.same([requests, events], [[], []]);
  revoker.start([{ ...oldSignIn, replacement: { ...reusedTokens, issuer: 'https://other.example' } }]);
  await settle();
  t.match(events, [revokedEvent], 'tokens of another server are different');
});

t.test('removals at one server share a minute; later ones have their own', async (t) => {
  const { revoker, events, requests, advanceSeconds } = startRevoker();
  revoker.start(createRemovedSignIns(1000, 'theirs', 'silent'));
  revoker.start([createRemovedSignIn('ours', 'silent', 'ours')]);
  await advanceSeconds(61);
  t.equal(events.length, 1000);
  const unanswered = events.filter(({ refresh }) => refresh === 'no answer');
  t.equal(unanswered.length, 48, 'four at a time, five seconds each');
  t.notOk(
    requests.some((signIn) => signIn.includes('access')),
    'a silent server is not called for the other token',
  );
  await advanceSeconds(6);
  t.match(events.at(-1), { hub: 'ours', refresh: 'no answer', access: 'not tried' });
});
