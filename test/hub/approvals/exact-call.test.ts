/** An approval holds for one call, once: whatever differs needs its own. */
import t from 'tap';
import { createToken, putMember, readRefusal } from '../fixtures/hub-people.ts';
import { echoArguments, getDenial, startApprovalHub } from './approval-hub.ts';

t.test('a held call is not sent, says how to go on, and is sent once after its approval', async (t) => {
  const { call, decide, sent, recorded } = await startApprovalHub(t);
  const held = await call();
  t.equal(held.isError, true);
  t.match(getDenial(held), { code: 'HUB_APPROVAL_PENDING', state: 'pending', cure: /same call again/ });
  const { approval = '' } = getDenial(held);
  t.equal(getDenial(await call()).approval, approval, 'the same call waits for the same approval');
  t.equal(sent().length, 0);
  t.equal((await decide(approval, 'approve')).status, 200);
  t.match(await call(), { content: [{ text: 'hello' }] });
  const again = getDenial(await call());
  t.equal(again.code, 'HUB_APPROVAL_PENDING', 'a second time needs a second approval');
  t.not(again.approval, approval);
  t.equal(sent().length, 1);
  t.match(
    (await recorded())
      .filter(({ method }) => method.startsWith('approval'))
      .map(({ method, person }) => [method, person]),
    [
      ['approval requested', 'Max'],
      ['approval approved', 'Ana'],
      ['approval used', 'Max'],
      ['approval requested', 'Max'],
    ],
  );
});

const otherCalls: readonly (readonly [string, string])[] = [
  ['other arguments', '{"text":"hello!"}'],
  ['another order of members', '{"b":1,"a":2,"text":"hello"}'],
  ['a number written in another way', '{"a":2.0,"b":1,"text":"hello"}'],
  ['an exponent', '{"a":2e0,"b":1,"text":"hello"}'],
  ['a number as text', '{"a":"2","b":1,"text":"hello"}'],
  ['one member more', '{"a":2,"b":1,"c":null,"text":"hello"}'],
];

t.test('an approval does not hold for another call', async (t) => {
  const { call, approveCall, sent } = await startApprovalHub(t);
  const args = '{"a":2,"b":1,"text":"hello"}';
  await approveCall(args);
  for (const [name, others] of otherCalls) t.equal(getDenial(await call(others)).code, 'HUB_APPROVAL_PENDING', name);
  const withMeta = await call(args, undefined, ',"_meta":{"mode":"force"}');
  t.equal(getDenial(withMeta).code, 'HUB_APPROVAL_PENDING', 'a member of _meta');
  t.equal(sent().length, 0);
  const spaced = '{ "a" : 2, "b" : 1, "text" : "hello" }';
  const trace = ',"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}';
  t.match(
    await call(spaced, undefined, trace),
    { content: [{ text: 'hello' }] },
    'white space and a trace id do not count',
  );
});

t.test('an approval does not hold for another person, token or hub', async (t) => {
  const { ana, max, vic, ids, call, approveCall, sent, setPolicy, approvals } = await startApprovalHub(t);
  await putMember(ana, 'acme', ids.Vic ?? '', 'member');
  await approveCall();
  const second = await createToken(max, 'acme');
  t.equal(getDenial(await call(echoArguments, second.token)).code, 'HUB_APPROVAL_PENDING', 'another token of Max');
  const vicToken = await createToken(vic, 'acme');
  t.equal(getDenial(await call(echoArguments, vicToken.token)).code, 'HUB_APPROVAL_PENDING', 'another person');
  await ana.ask('POST', '/api/v1/hubs', { slug: 'other', name: 'Other' });
  const { token } = await createToken(ana, 'other');
  t.notMatch(await call(echoArguments, token), { content: [{ text: 'hello' }] }, 'another hub');
  t.equal(sent().length, 0);
  await setPolicy({ approvals });
  t.equal(getDenial(await call()).code, 'HUB_APPROVAL_PENDING', 'a new revision of the policy, even the same');
  t.equal(sent().length, 0);
});

t.test('of two calls at the same time one uses the approval', async (t) => {
  const { call, approveCall, sent } = await startApprovalHub(t);
  await approveCall();
  const results = await Promise.all(Array.from({ length: 8 }, () => call()));
  t.equal(results.filter(({ isError }) => isError !== true).length, 1);
  t.equal(sent().length, 1);
});

t.test('an approval ends by itself', async (t) => {
  const { call, approveCall, sent, clock, get, recorded } = await startApprovalHub(t, { valid_s: 60 });
  const id = await approveCall();
  clock.move(60_000);
  t.equal(getDenial(await call()).code, 'HUB_APPROVAL_PENDING');
  t.equal(sent().length, 0);
  t.match(await get(id), { state: 'expired', is_complete: false });
  t.match(
    (await recorded()).find(({ method }) => method === 'approval expired'),
    { outcome: 'timeout' },
  );
});

t.test('a changed server needs a new approval', async (t) => {
  const { ana, call, approveCall, sent, upstream } = await startApprovalHub(t);
  await approveCall();
  const changed = { url: `${upstream.url}?other` };
  const response = await ana.ask('PUT', '/api/v1/hubs/acme/connections/good', changed);
  t.equal(response.status, 200);
  t.not(getDenial(await call()).code, undefined);
  t.equal(sent().length, 0);
});

t.test('the approval of somebody who is no longer an approver does not hold', async (t) => {
  const rule = { roles: ['owner' as const] };
  const { ana, vic, ids, call, decide, sent, list, get } = await startApprovalHub(t, rule);
  await putMember(ana, 'acme', ids.Vic ?? '', 'owner');
  const id = getDenial(await call()).approval ?? '';
  t.equal((await decide(id, 'approve', vic)).status, 200);
  await putMember(ana, 'acme', ids.Vic ?? '', 'member');
  t.match(getDenial(await call()), { code: 'HUB_APPROVAL_VOID', reason: /Vic is no longer an approver/ });
  t.match(await get(id), { state: 'void' });
  t.equal(sent().length, 0);
  t.equal((await list()).length, 0);
});

t.test('nobody approves a call of their own, through whatever they call', async (t) => {
  const { ana, max, anaToken, ids, call, decide, sent, approveCall } = await startApprovalHub(t);
  t.equal(getDenial(await call(echoArguments, anaToken.token)).code, 'HUB_APPROVER_MISSING', 'Ana is the only owner');
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  const id = getDenial(await call(echoArguments, anaToken.token)).approval ?? '';
  t.equal(await readRefusal(decide(id, 'approve')), '403 HUB_APPROVER_INVALID', 'in the console');
  t.equal((await decide(id, 'approve', max)).status, 200, 'the other owner');
  t.match(await call(echoArguments, anaToken.token), { content: [{ text: 'hello' }] });
  await approveCall();
  t.equal(sent().length, 1);
});
