/** Tokens of agents at the executor's door: what is asked, what is kept, and for how long. */
import t from 'tap';
import type { AgentSelf } from '../../src/contract/agent-api.ts';
import { agentTokenOf } from '../../src/contract/agent-token.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { agentDoor } from '../../src/executor/agent-credentials.ts';
import { clientOf } from '../client/client-of.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { agentToken } from '../server/browser.ts';
import { register, served } from '../server/served.ts';

const claim = { instance: 'sign-dev', role: 'test' } as const;
const token = agentTokenOf(claim, 'x'.repeat(43));
const self: Pick<AgentSelf, 'instance' | 'role' | 'person'> = { ...claim, person: 'Ana' };
const refusal = vpError('CREDENTIAL_INSUFFICIENT', { action: 'GET /api/v1/agent' });

type Answer = typeof self | Error;

function doorOf(first: Answer, instance: () => string | undefined = () => 'sign-dev') {
  const clock = fakeClock();
  const asked: string[] = [];
  const state = { answer: first };
  const ask = async (token: string) => {
    asked.push(token);
    if (state.answer instanceof Error) throw state.answer;
    return state.answer;
  };
  return { clock, asked, state, door: agentDoor({ instance, ask, clock }) };
}

t.test('a known token is asked about once in ten seconds', async (t) => {
  const { door, clock, asked, state } = doorOf(self);
  const all = await Promise.all([door.verify(token), door.verify(token)]);
  t.same(all, [
    { kind: 'known', ...self },
    { kind: 'known', ...self },
  ]);
  clock.advance(9_999);
  await door.verify(token);
  t.same(asked, [token]);
  state.answer = refusal;
  clock.advance(1);
  t.same(await door.verify(token), { kind: 'unrecognized' });
  t.equal(asked.length, 2);
});

t.test('an unrecognized token is asked about again after a second', async (t) => {
  const { door, clock, asked, state } = doorOf(refusal);
  t.same(await door.verify(token), { kind: 'unrecognized' });
  await door.verify(token);
  t.equal(asked.length, 1);
  state.answer = self;
  clock.advance(1_000);
  t.match(await door.verify(token), { kind: 'known' });
});

t.test('a control plane that is away is told apart from a refusal, and asked again at once', async (t) => {
  const { door, asked, state } = doorOf(
    vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://127.0.0.1:9', problem: 'refused' }),
  );
  t.match(await door.verify(token), { kind: 'unreachable', problem: /cannot be reached: refused/, cure: /vp serve/ });
  state.answer = new Error('who knows');
  t.match(await door.verify(token), { kind: 'unreachable', cure: /.+/ });
  state.answer = vpError('RATE_LIMITED', { retry_after_s: 3 });
  t.match(await door.verify(token), { kind: 'unreachable', cure: /3 s/ });
  state.answer = self;
  t.match(await door.verify(token), { kind: 'known' });
  t.equal(asked.length, 4);
});

t.test('nothing is asked about what cannot be a token of this instance', async (t) => {
  const { door, asked } = doorOf(self);
  const foreign = agentTokenOf({ instance: 'other', role: 'test' }, 'x'.repeat(43));
  for (const other of ['', 'vpe_x', `${token}x`, foreign]) t.same(await door.verify(other), { kind: 'unrecognized' });
  t.same(asked, []);
});

t.test('the control plane has the last word on the instance', async (t) => {
  const { door } = doorOf({ ...self, instance: 'other' });
  t.same(await door.verify(token), { kind: 'unrecognized' });
});

t.test('before its first greeting an executor cannot tell', async (t) => {
  const { door, asked } = doorOf(self, () => undefined);
  t.match(await door.verify(token), { kind: 'unreachable', problem: /not reached its control plane/ });
  t.same(asked, []);
});

t.test('a real control plane knows its tokens, and a folder whose token was rotated is let in at once', async (t) => {
  const api = await served(t);
  await register(api, 'sign-dev');
  const clock = fakeClock();
  const ask = (token: string) => clientOf(api, token).agentTokens.self();
  const door = agentDoor({ instance: () => 'sign-dev', ask, clock });
  const first = await agentToken(api, 'sign-dev', 'product');
  t.same(await door.verify(first), { kind: 'known', instance: 'sign-dev', role: 'product', person: 'owner' });
  t.same(await door.verify(token), { kind: 'unrecognized' }, 'one that was never made');
  const [row] = await clientOf(api).agentTokens.list('sign-dev');
  const rotated = await clientOf(api).agentTokens.rotate('sign-dev', row?.agent_token_id ?? '');
  t.match(await door.verify(rotated.token), { kind: 'known', role: 'product' });
  clock.advance(10_000);
  t.same(await door.verify(first), { kind: 'unrecognized' });
  await clientOf(api).agentTokens.end('sign-dev', row?.agent_token_id ?? '');
  clock.advance(10_000);
  t.same(await door.verify(rotated.token), { kind: 'unrecognized' });
});
