/** Ending sign-ins at many servers: no server takes the time of another one, and each gets only so much. */
import t from 'tap';
import { type EndedSignIn, Revocations } from '../../../src/hub/upstream/revocations.ts';
import type { SecurityEvent } from '../../../src/identity/context.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

/** Tokens of a server that takes them back; those of `silent…` never answer. */
function ended(hubId: string, host: string, name: string): EndedSignIn {
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

function several(count: number, hubId: string, host: string): EndedSignIn[] {
  return Array.from({ length: count }, (_, index) => ended(hubId, host, `${host} ${index}`));
}

/** What ends them, with the servers' side, and what was told so far. */
function revoking(tell?: (event: SecurityEvent) => void) {
  const clock = fakeClock();
  const told: SecurityEvent[] = [];
  const asked: string[] = [];
  const faults: unknown[] = [];
  const onFault = (fault: unknown): void => void faults.push(fault);
  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    asked.push(`${new URL(url).host} ${init.body}`);
    if (!new URL(url).host.startsWith('silent')) return new Response('');
    return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  };
  const revocations = new Revocations({ clock, fetch, tell: tell ?? ((event) => told.push(event)), onFault });
  const settle = async (): Promise<void> => {
    for (let ticks = 0; ticks < 40; ticks += 1) await new Promise(setImmediate);
  };
  return {
    revocations,
    told,
    asked,
    faults,
    settle,
    async passes(seconds: number): Promise<void> {
      for (let at = 0; at < seconds; at += 1) {
        await settle();
        clock.advance(1000);
      }
      await settle();
    },
  };
}

const well = { event: 'hub_sign_in_revoked', refresh: 'revoked', access: 'revoked' };

t.test('a silent server does not keep another one from being asked at once', async (t) => {
  const { revocations, told, settle } = revoking();
  revocations.begin([...several(30, 'theirs', 'silent'), ended('theirs', 'other', 'beside them')]);
  revocations.begin([ended('ours', 'good', 'later')]);
  await settle();
  t.match(told, [
    { ...well, hub: 'theirs', name: 'beside them' },
    { ...well, hub: 'ours', name: 'later' },
  ]);
});

t.test(
  'however many silent servers there are, and however much they have to end, the others get their turn',
  async (t) => {
    const { revocations, told, passes } = revoking();
    const servers = Array.from({ length: 50 }, (_, index) => several(60, 'theirs', `silent${index}`));
    revocations.begin(servers.flat());
    revocations.begin(servers.flat());
    revocations.begin([ended('ours', 'good', 'ours')]);
    await passes(130);
    t.match(
      told.find(({ hub }) => hub === 'ours'),
      well,
    );
  },
);

t.test(
  'of a sign-in that was kept before its server was asked where it ends, the log says that it did not',
  async (t) => {
    const { revocations, asked, told, settle } = revoking();
    const { tokens, ...one } = ended('ours', 'good', 'tools');
    const { revocation_endpoint, refresh_token, ...before } = tokens;
    revocations.begin([
      { ...one, tokens: { ...before, refresh_token } },
      { ...one, tokens: before },
      { ...one, tokens: { ...tokens, revocation_endpoint: null } },
    ]);
    await settle();
    const line = {
      event: 'hub_sign_in_revocation_failed',
      level: 'warn',
      hub: 'ours',
      connection: 'tools',
      name: 'tools',
    };
    t.same(told, [
      { ...line, refresh: 'endpoint unknown', access: 'endpoint unknown' },
      { ...line, refresh: 'none', access: 'endpoint unknown' },
    ]);
    t.same(asked, []);
  },
);

t.test('a log that cannot be written keeps nothing from being ended, and no one from stopping', async (t) => {
  const gone = new Error('the log is gone');
  const { revocations, asked, faults, settle } = revoking(() => {
    throw gone;
  });
  for (const part of [several(5, 'ours', 'good'), several(1, 'ours', 'good'), several(1, 'ours', 'other')])
    revocations.begin(part);
  await settle();
  t.equal(asked.length, 14);
  t.same(faults, Array(7).fill(gone));
  await t.resolves(revocations.close());
});

t.test('tokens that a server gave again are not ended', async (t) => {
  const { revocations, asked, told, settle } = revoking();
  const [before, after] = [ended('ours', 'good', 'before'), ended('ours', 'good', 'after')];
  const same = { ...after.tokens, refresh_token: before.tokens.refresh_token };
  revocations.begin([{ ...before, instead: same }]);
  revocations.begin([{ ...before, instead: { ...after.tokens, access_token: before.tokens.access_token } }]);
  await settle();
  t.same([asked, told], [[], []]);
  revocations.begin([{ ...before, instead: { ...same, issuer: 'https://other.example' } }]);
  await settle();
  t.match(told, [well], 'what another server gave is another one');
});

t.test('what ends at once at one server has a minute; what ended there later has its own', async (t) => {
  const { revocations, told, asked, passes } = revoking();
  revocations.begin(several(1000, 'theirs', 'silent'));
  revocations.begin([ended('ours', 'silent', 'ours')]);
  await passes(61);
  t.equal(told.length, 1000);
  const tried = told.filter(({ refresh }) => refresh === 'no answer');
  t.equal(tried.length, 48, 'four at a time, five seconds each');
  t.notOk(
    asked.some((one) => one.includes('access')),
    'who keeps silent is not asked for the other token',
  );
  await passes(6);
  t.match(told.at(-1), { hub: 'ours', refresh: 'no answer', access: 'not tried' });
});
