/** The number of sessions: of all people, and of one person and credential. */
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { HubEvents } from '../../../src/hub/gateway/hub-events.ts';
import { McpSessions } from '../../../src/hub/gateway/mcp-sessions.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createPrincipal } from '../fixtures/test-gateway.ts';

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

function openSessions(t: Test, maxSessions: number) {
  const clock = fakeClock();
  const sessions = new McpSessions({ clock, random: systemRandom, events: new HubEvents(clock), maxSessions });
  t.teardown(() => sessions.close());
  const start = (person: string, tokenId = person) =>
    sessions.start({ ...createPrincipal(person), via: { kind: 'token', tokenId, tokenName: 'test' } }, params).id;
  const isOpen = (person: string, id: string, tokenId = person) =>
    sessions.find({ ...createPrincipal(person), via: { kind: 'token', tokenId, tokenName: 'test' } }, id) !== undefined;
  return { sessions, start, isOpen };
}

t.test('the longest unused session of all makes room', async (t) => {
  const { sessions, start, isOpen } = openSessions(t, 3);
  const [first, second] = [start('ann'), start('bob')];
  start('eve');
  t.ok(isOpen('ann', first), 'it is used');
  start('max');
  t.equal(sessions.size, 3);
  t.ok(isOpen('ann', first));
  t.notOk(isOpen('bob', second));
});

t.test('a token has 64 sessions, and a person 256 with all tokens; others keep theirs', async (t) => {
  const { sessions, start, isOpen } = openSessions(t, 10_000);
  const other = start('bob');
  const first = start('ann', 't0');
  for (let count = 0; count < 64; count += 1) start('ann', 't0');
  t.equal(sessions.size, 65);
  t.notOk(isOpen('ann', first, 't0'));
  for (let token = 1; token < 5; token += 1) for (let count = 0; count < 64; count += 1) start('ann', `t${token}`);
  t.equal(sessions.size, 257);
  t.ok(isOpen('bob', other));
});
