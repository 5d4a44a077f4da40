/** A call that is held: how its caller waits, and what ends it. */
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { createToken, putMember, readRefusal } from '../fixtures/hub-people.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { api, echoArguments, getDenial, startApprovalHub } from './approval-hub.ts';

const callText = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__echo","arguments":${echoArguments},"_meta":{"progressToken":7}}}`;

t.test('a caller of either era waits with progress, and gets the result when the call is approved', async (t) => {
  const { client, maxToken, waitForPending, decide, sent } = await startApprovalHub(t, { hold_s: 60 });
  for (const options of [modernClient, {}]) {
    const caller = await client(maxToken.token, options);
    const messages: unknown[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => messages.push(message);
    const result = caller.callTool({ name: 'good__echo', arguments: { text: 'hello' } }, { onprogress });
    const id = await waitForPending();
    await eventually(() => messages.length > 0);
    t.match(messages[0], `waits for the approval ${id}`);
    await decide(id, 'approve');
    t.match((await result).content, [{ text: 'hello' }]);
  }
  t.equal(sent().length, 2);
});

t.test('a denied call is answered with the reason, and asks nobody again until the denial ends', async (t) => {
  const { call, decide, waitForPending, sent, clock, list, recorded } = await startApprovalHub(t, { hold_s: 60 });
  const result = call();
  const id = await waitForPending();
  await decide(id, 'deny', undefined, { comment: 'not on Fridays' });
  t.match(getDenial(await result), { code: 'HUB_APPROVAL_DENIED', reason: /Ana: not on Fridays/ });
  t.equal(getDenial(await call()).approval, id, 'the same call is denied at once');
  t.equal((await list(undefined, '?state=all')).length, 1);
  clock.move(3_600_000);
  const later = call();
  t.not(await waitForPending(), id);
  await decide(await waitForPending(), 'approve');
  t.match(await later, { content: [{ text: 'hello' }] });
  t.equal(sent().length, 1);
  t.match(
    (await recorded()).find(({ method }) => method === 'approval denied'),
    { person: 'Ana', reason: /not on Fridays/ },
  );
});

t.test('a list has the arguments that the audit stores, shortened', async (t) => {
  const { call, list, setPolicy, approvals, max } = await startApprovalHub(t);
  const readNewest = async (args: string) => {
    await call(args);
    return (await list())[0]?.arguments_preview;
  };
  t.equal(await readNewest('{"text":"a\\u200bb"}'), 'text: a⟦U+200B⟧b');
  t.match(await readNewest(`{"text":"${'x'.repeat(500)}"}`), /^text: x{154}…$/);
  t.equal((await list(max, '?state=all')).length, 2, 'the caller reads the same list');
  await setPolicy({ approvals, audit: { hide: ['/text'] } });
  t.equal(await readNewest('{"text":"confidential"}'), 'text: [hidden]');
  await setPolicy({ approvals, audit: { keep_arguments: false } });
  t.equal(await readNewest('{"text":"not stored"}'), null);
});

t.test('a caller that cancels or leaves withdraws its request', async (t) => {
  const { client, maxToken, waitForPending, list, get, decide, sent } = await startApprovalHub(t, { hold_s: 60 });
  for (const options of [modernClient, {}]) {
    const caller = await client(maxToken.token, options);
    const cancel = new AbortController();
    const result = caller.callTool({ name: 'good__echo', arguments: { text: 'hello' } }, { signal: cancel.signal });
    const rejected = result.then(
      () => false,
      () => true,
    );
    const id = await waitForPending();
    cancel.abort();
    t.ok(await rejected);
    await eventually(async () => (await get(id)).state === 'withdrawn');
    t.equal(await readRefusal(decide(id, 'approve')), '409 HUB_APPROVAL_ENDED');
  }
  t.equal((await list()).length, 0);
  t.equal(sent().length, 0);
});

t.test('a request that two calls wait for stays when one of them is cancelled', async (t) => {
  const { client, maxToken, call, waitForPending, decide, gateway, hub } = await startApprovalHub(t, { hold_s: 60 });
  const caller = await client(maxToken.token, modernClient);
  const cancel = new AbortController();
  const cancelled = caller
    .callTool({ name: 'good__echo', arguments: { text: 'hello' } }, { signal: cancel.signal })
    .catch(() => 'cancelled');
  const id = await waitForPending();
  const second = call();
  await new Promise((resolve) => setImmediate(resolve));
  cancel.abort();
  t.equal(await cancelled, 'cancelled');
  await eventually(async () => {
    const { items } = await gateway.audit.search(hub.hub_id, { limit: 10 });
    return items.some(({ outcome }) => outcome === 'cancelled');
  });
  t.equal((await decide(id, 'approve')).status, 200);
  t.match(await second, { content: [{ text: 'hello' }] });
});

t.test('a call that was approved while it waited is decided again', async (t) => {
  const { ana, maxToken, call, waitForPending, decide, setPolicy, approvals, sent, ids } = await startApprovalHub(t, {
    hold_s: 60,
  });
  const outdated = call();
  const id = await waitForPending();
  await setPolicy({ approvals, roles: { member: { deny: ['good__echo'] } } });
  t.equal(await readRefusal(decide(id, 'approve')), '409 HUB_APPROVAL_ENDED');
  t.match(getDenial(await outdated), { code: 'HUB_APPROVAL_VOID', reason: /the policy, .* changed/ });
  await setPolicy({ approvals });
  const revoked = call();
  const second = await waitForPending();
  await ana.ask('DELETE', `${api}/members/${ids.Max}`);
  t.equal((await decide(second, 'approve')).status, 200);
  t.match(getDenial(await revoked), { reason: /no longer authenticated/ });
  t.equal(sent().length, 0);
  await putMember(ana, 'acme', ids.Max ?? '', 'member');
  t.notMatch(await call(echoArguments, maxToken.token).catch(() => ({})), { content: [{ text: 'hello' }] });
});

t.test('a caller whose approval is taken back before its call is sent hears who denied it', async (t) => {
  const { call, waitForPending, decide, sent } = await startApprovalHub(t, { hold_s: 60 });
  const held = call();
  const id = await waitForPending();
  const decisions = await Promise.all([decide(id, 'approve'), decide(id, 'deny')]);
  t.same(
    decisions.map(({ status }) => status),
    [200, 200],
  );
  t.match(getDenial(await held), { code: 'HUB_APPROVAL_DENIED', state: 'denied', reason: /denied by/ });
  t.equal(sent().length, 0);
});

t.test('requests, approvals and denials survive a restart, held calls are answered', async (t) => {
  const { call, waitForPending, decide, sent, gateway, hub, api: server } = await startApprovalHub(t, { hold_s: 60 });
  const held = call();
  const id = await waitForPending();
  await gateway.drain();
  t.match(getDenial(await held), { code: 'HUB_APPROVAL_PENDING', approval: id });
  const rows = await server.control.database.read((sql) => sql.all('SELECT state FROM hub_approvals'));
  t.same(rows, [{ state: 'pending' }], 'the end of the process withdraws nothing');
  t.equal((await decide(id, 'approve')).status, 200);
  t.equal(sent().length, 0);
  t.ok(hub);
});

t.test('a person has a limited number of requests', async (t) => {
  const { call, list, decide, clock } = await startApprovalHub(t);
  for (let index = 0; index < 20; index += 1) await call(`{"text":"${index}"}`);
  t.match(getDenial(await call('{"text":"one more"}')), { code: 'HUB_APPROVALS_LIMITED' });
  const [newest] = await list();
  await decide(newest?.approval ?? '', 'deny');
  t.match(getDenial(await call('{"text":"one more"}')), { code: 'HUB_APPROVAL_PENDING' });
  t.match(getDenial(await call('{"text":"0"}')), { code: 'HUB_APPROVAL_PENDING' }, 'known requests do not count again');
  clock.move(3_600_000);
  t.match(getDenial(await call(`{"text":"${'x'.repeat(270_000)}"}`)), { code: 'HUB_APPROVAL_TOO_LARGE' });
});

t.test('decisions name what was reviewed, and are for approvers', async (t) => {
  const { ana, max, vic, eve, call, list, get, decide } = await startApprovalHub(t);
  const id = getDenial(await call('{"text":"a\\u200bb","big":12345678901234567890,"n":1.0}')).approval ?? '';
  const details = await get(id);
  t.same(details.lines, ['arguments.text: a⟦U+200B⟧b', 'arguments.big: 12345678901234567890', 'arguments.n: 1.0']);
  t.match(details, { may_decide: true, is_complete: true, marks: [{ character: 'U+200B', count: 1 }] });
  const path = `${api}/approvals/${id}`;
  t.equal(await readRefusal(ana.ask('POST', path, { decision: 'approve', digest: 'x' })), '409 HUB_APPROVAL_CHANGED');
  t.equal(await readRefusal(decide(id, 'approve', max)), '403 HUB_APPROVER_INVALID');
  t.equal(await readRefusal(vic.ask('GET', path)), '404 HUB_APPROVAL_UNKNOWN');
  t.equal(await readRefusal(decide(id, 'approve', vic)), '404 HUB_APPROVAL_UNKNOWN');
  t.equal(await readRefusal(eve.ask('GET', path)), '404 HUB_UNKNOWN');
  t.same(await list(vic), []);
  t.match(await list(max), [{ approval: id, may_decide: false }]);
  t.equal((await decide(id, 'approve')).status, 200);
  t.equal(await readRefusal(decide(id, 'approve')), '409 HUB_APPROVAL_ENDED');
  t.match(
    await (await decide(id, 'deny')).json(),
    { state: 'denied', is_complete: false },
    'an unused one is taken back',
  );
  t.match(getDenial(await call('{"text":"a\\u200bb","big":12345678901234567890,"n":1.0}')), {
    code: 'HUB_APPROVAL_DENIED',
  });
});

t.test('tool search and memory at its own address are held too', async (t) => {
  const { ana, max, vic, ids, call, post, setPolicy, sent } = await startApprovalHub(t);
  await ana.ask('PUT', '/api/v1/hubs/acme', { tool_list: 'search' });
  const { token } = await createToken(max, 'acme');
  const text = callText
    .replace('"good__echo"', '"call_tool"')
    .replace(echoArguments, `{"name":"good__echo","arguments":${echoArguments}}`);
  const answer = await (await post(token, text)).text();
  t.match(answer, /HUB_APPROVAL_PENDING/);
  await setPolicy({ approvals: [{ tools: 'memory__*', hold_s: 0, people: [ids.Vic ?? ''] }] });
  const remember = callText.replace('good__echo', 'remember');
  const refused = await (await post(token, remember, undefined, '/memory/mcp')).text();
  t.match(refused, /HUB_APPROVAL_PENDING/);
  const { items } = await (await vic.ask('GET', `${api}/approvals`)).json();
  t.match(items, [{ connection: 'memory', tool: 'remember', may_decide: true }], 'a viewer who is named may decide');
  t.equal(sent().length, 0);
  t.match(await call(), { content: [{ text: 'hello' }] });
});
