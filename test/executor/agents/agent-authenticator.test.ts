/** Verification of agent tokens: which requests are sent, what is cached, and for how long. */
import t from 'tap';
import type { AgentIdentity } from '../../../src/contract/agents/agent-api.ts';
import { formatAgentToken } from '../../../src/contract/agents/agent-token.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import { createAgentAuthenticator } from '../../../src/executor/agents/agent-authenticator.ts';
import { createTestClient } from '../../client/test-client.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createAgentToken } from '../../server/test-browser.ts';
import { registerInstance, startTestServer } from '../../server/test-server.ts';

const claim = { instance: 'sign-dev', role: 'test' } as const;
const token = formatAgentToken(claim, 'x'.repeat(43));
const self: Pick<AgentIdentity, 'instance' | 'role' | 'person'> = { ...claim, person: 'Ana' };
const refusal = vpError('CREDENTIAL_INSUFFICIENT', { action: 'GET /api/v1/agent' });

type Answer = typeof self | Error;

function createAuthenticator(first: Answer, instance: () => string | undefined = () => 'sign-dev') {
  const clock = fakeClock();
  const verifiedTokens: string[] = [];
  const state = { answer: first };
  const ask = async (token: string) => {
    verifiedTokens.push(token);
    if (state.answer instanceof Error) throw state.answer;
    return state.answer;
  };
  return {
    clock,
    verifiedTokens,
    state,
    authenticator: createAgentAuthenticator({ instance, fetchAgent: ask, clock }),
  };
}

t.test('a valid token is verified once in ten seconds', async (t) => {
  const { authenticator, clock, verifiedTokens, state } = createAuthenticator(self);
  const all = await Promise.all([authenticator.verify(token), authenticator.verify(token)]);
  t.same(all, [
    { kind: 'known', ...self },
    { kind: 'known', ...self },
  ]);
  clock.advance(9_999);
  await authenticator.verify(token);
  t.same(verifiedTokens, [token]);
  state.answer = refusal;
  clock.advance(1);
  t.same(await authenticator.verify(token), { kind: 'unrecognized' });
  t.equal(verifiedTokens.length, 2);
});

t.test('an unrecognized token is verified again after a second', async (t) => {
  const { authenticator, clock, verifiedTokens, state } = createAuthenticator(refusal);
  t.same(await authenticator.verify(token), { kind: 'unrecognized' });
  await authenticator.verify(token);
  t.equal(verifiedTokens.length, 1);
  state.answer = self;
  clock.advance(1_000);
  t.match(await authenticator.verify(token), { kind: 'known' });
});

t.test('an unreachable control plane is distinguished from a refusal, and not cached', async (t) => {
  const { authenticator, verifiedTokens, state } = createAuthenticator(
    vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://127.0.0.1:9', problem: 'refused' }),
  );
  t.match(await authenticator.verify(token), {
    kind: 'unreachable',
    problem: /cannot be reached: refused/,
    cure: /vp serve/,
  });
  state.answer = new Error('who knows');
  t.match(await authenticator.verify(token), { kind: 'unreachable', cure: /.+/ });
  state.answer = vpError('RATE_LIMITED', { retry_after_s: 3 });
  t.match(await authenticator.verify(token), { kind: 'unreachable', cure: /3 s/ });
  state.answer = self;
  t.match(await authenticator.verify(token), { kind: 'known' });
  t.equal(verifiedTokens.length, 4);
});

t.test('tokens of other instances are refused without a request', async (t) => {
  const { authenticator, verifiedTokens } = createAuthenticator(self);
  const foreign = formatAgentToken({ instance: 'other', role: 'test' }, 'x'.repeat(43));
  for (const other of ['', 'vpe_x', `${token}x`, foreign])
    t.same(await authenticator.verify(other), { kind: 'unrecognized' });
  t.same(verifiedTokens, []);
});

t.test('the instance is the one that the control plane returns', async (t) => {
  const { authenticator } = createAuthenticator({ ...self, instance: 'other' });
  t.same(await authenticator.verify(token), { kind: 'unrecognized' });
});

t.test('before the first registration tokens cannot be verified', async (t) => {
  const { authenticator, verifiedTokens } = createAuthenticator(self, () => undefined);
  t.match(await authenticator.verify(token), { kind: 'unreachable', problem: /not reached its control plane/ });
  t.same(verifiedTokens, []);
});

t.test('a real control plane recognizes its tokens, and a rotated token works at once', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'sign-dev');
  const clock = fakeClock();
  const ask = (token: string) => createTestClient(api, token).agentTokens.getIdentity();
  const authenticator = createAgentAuthenticator({ instance: () => 'sign-dev', fetchAgent: ask, clock });
  const first = await createAgentToken(api, 'sign-dev', 'product');
  t.same(await authenticator.verify(first), { kind: 'known', instance: 'sign-dev', role: 'product', person: 'owner' });
  t.same(await authenticator.verify(token), { kind: 'unrecognized' }, 'one that was never made');
  const [row] = await createTestClient(api).agentTokens.list('sign-dev');
  const rotated = await createTestClient(api).agentTokens.rotate('sign-dev', row?.agent_token_id ?? '');
  t.match(await authenticator.verify(rotated.token), { kind: 'known', role: 'product' });
  clock.advance(10_000);
  t.same(await authenticator.verify(first), { kind: 'unrecognized' });
  await createTestClient(api).agentTokens.revoke('sign-dev', row?.agent_token_id ?? '');
  clock.advance(10_000);
  t.same(await authenticator.verify(rotated.token), { kind: 'unrecognized' });
});
