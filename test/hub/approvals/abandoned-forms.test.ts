/** Forms of `decide_approval` that nobody answers: each is recorded, and none of them uses up a limit. */
import type { Client } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import type { Clock } from '../../../src/environment/clock.ts';
import { PendingCalls } from '../../../src/hub/gateway/pending-calls.ts';
import { eventually } from '../../eventually.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { getDenial, startApprovalHub } from './approval-hub.ts';

/** One call at once of any person, which a form that is open must not use up. */
async function startLimitedHub(t: Test) {
  const hub = await startApprovalHub(t);
  const limits = [{ per: 'person', at_once: 1 }] as const;
  await hub.setPolicy({ approvals: hub.approvals, approve_by_client: 'offer', limits: [...limits] });
  const id = getDenial(await hub.call()).approval ?? '';
  const openForm = () => hub.postCall(hub.anaToken.token, 'decide_approval', { approval: id });
  /** Codes of the rows of `decide_approval`. */
  const listReasons = async () =>
    (await hub.recorded()).filter(({ tool }) => tool === 'decide_approval').map(({ reason }) => reason);
  const listOpen = (client: Client) => client.callTool({ name: 'list_approvals', arguments: {} });
  return { ...hub, id, openForm, listReasons, listOpen };
}

t.test('forms that newer ones replace lock nobody out, and each of them has a row', async (t) => {
  const { openForm, listReasons, listOpen, client, anaToken, id } = await startLimitedHub(t);
  for (let form = 0; form < 33; form += 1) t.match(await openForm(), /input_required/, `form ${form}`);
  const ana = await client(anaToken.token, modernClient);
  t.match((await listOpen(ana)).structuredContent, { approvals: [{ approval: id }] });
  const reasons = await eventually(async () => ((await listReasons()).length === 17 ? listReasons() : undefined));
  t.same([...new Set(reasons)], ['HUB_APPROVAL_FORM_ENDED'], '16 forms of a caller are open at most');
});

t.test('a form ends with its call after five minutes', async (t) => {
  const timers: (() => void)[] = [];
  const clock: Pick<Clock, 'after'> = {
    after(_ms, run) {
      timers.push(run);
      return () => undefined;
    },
  };
  const calls = new PendingCalls(clock, { token: () => 'a' });
  const exchange = { signal: new AbortController().signal, onProgress: undefined, onLog: undefined };
  const owner = { personId: 'ana', key: 'ana', argumentsDigest: 'a' };
  const ended = Promise.withResolvers<string>();
  const work = calls.start(
    owner,
    exchange,
    () => {},
    (pending) =>
      pending.askUntilAbandoned({ method: 'elicitation/create', params: {} }).catch((error: Error) => {
        ended.resolve(error.message);
        return {};
      }),
  );
  t.match(await work, { resultType: 'input_required' });
  for (const run of timers) run();
  t.equal(await ended.promise, 'the input did not arrive in time');
});

t.test('a client of an older era that answers with an error, or leaves, has a row', async (t) => {
  const { client, anaToken, id, listReasons, listOpen, get } = await startLimitedHub(t);
  const connect = async (answer: () => Promise<never>) => {
    const ana = await client(anaToken.token, { capabilities: { elicitation: {} } });
    ana.setRequestHandler('elicitation/create', answer);
    return ana;
  };
  const failing = await connect(async () => {
    throw new Error('secret words of the client');
  });
  const failed = await failing.callTool({ name: 'decide_approval', arguments: { approval: id } });
  t.match(failed, { isError: true, structuredContent: { code: 'HUB_APPROVAL_FORM_ENDED' } });
  t.notMatch(JSON.stringify(failed), 'secret words');
  t.same(await listReasons(), ['HUB_APPROVAL_FORM_ENDED']);
  const isOpen = Promise.withResolvers<void>();
  const silentClient = await connect(() => {
    isOpen.resolve();
    return new Promise<never>(() => {});
  });
  const leave = new AbortController();
  const left = silentClient
    .callTool({ name: 'decide_approval', arguments: { approval: id } }, { signal: leave.signal })
    .catch(() => undefined);
  await isOpen.promise;
  t.match((await listOpen(silentClient)).structuredContent, { approvals: [{ approval: id }] });
  leave.abort();
  await left;
  await eventually(async () => (await listReasons()).length === 2);
  t.equal((await get(id)).state, 'pending');
});
