/** A clock that somebody moves: it revives no approval that has ended, and buys no call beyond the budgets of the days. */
import t from 'tap';
import { getDenial, startApprovalHub } from './approval-hub.ts';

const dayMs = 86_400_000;

t.test('an approval that has ended stays ended when the clock goes back', async (t) => {
  const { call, approveCall, sent, clock, get } = await startApprovalHub(t, { valid_s: 60 });
  const id = await approveCall();
  clock.move(61_000);
  t.equal(getDenial(await call()).code, 'HUB_APPROVAL_PENDING');
  for (const ms of [-61_000, -60_000]) {
    clock.move(ms);
    t.equal(getDenial(await call()).code, 'HUB_APPROVAL_PENDING');
  }
  t.match(await get(id), { state: 'expired', is_complete: false });
  t.equal(sent().length, 0);
});

t.test('a denial holds, and a request is not decided, after the clock went back and forth', async (t) => {
  const { call, decide, sent, clock, list } = await startApprovalHub(t, { valid_s: 60 });
  const denied = getDenial(await call()).approval ?? '';
  await decide(denied, 'deny');
  clock.move(-30_000);
  t.equal(getDenial(await call()).code, 'HUB_APPROVAL_DENIED');
  clock.move(30_000);
  const late = getDenial(await call('{"text":"late"}')).approval ?? '';
  clock.move(61_000);
  t.equal((await decide(late, 'approve')).status, 409);
  clock.move(-61_000);
  t.equal((await list()).filter(({ state }) => state === 'approved').length, 0);
  t.equal(sent().length, 0);
});

t.test('a clock that goes back and forth gives each day its budget once', async (t) => {
  const { call, setPolicy, sent, clock } = await startApprovalHub(t);
  await setPolicy({ budgets: [{ per: 'person', period: 'day', calls: 1 }] });
  t.match(await call(), { content: [{ text: 'hello' }] });
  clock.move(dayMs);
  t.match(await call(), { content: [{ text: 'hello' }] }, 'the next day');
  for (const days of [-1, 1, -1, 1]) {
    clock.move(days * dayMs);
    t.match(getDenial(await call()).code, 'HUB_BUDGET_USED_UP', `${days} days`);
  }
  t.equal(sent().length, 2);
});
