import t from 'tap';
import { createClient } from '../../src/client/client.ts';
import { createHttpControlPort } from '../../src/client/executor-port.ts';
import { runtimeTimers } from '../../src/client/transport/pause.ts';
import { formatReportJson } from '../../src/report/report-text.ts';
import { createScenarioText, createTestReport } from '../control/report-fixture.ts';
import { eventually } from '../eventually.ts';
import { startListener } from '../http/test-listener.ts';
import { helloMessage, registerInstance, startTestServer } from '../server/test-server.ts';

t.test('an executor leases a run over a socket, and an older start is superseded', async (t) => {
  const api = await startTestServer(t);
  const { executor_key: token } = await registerInstance(api);
  const { url } = await startListener(t, (request, env) => api.fetch(request, env));
  const port = createHttpControlPort(createClient({ baseUrl: url, token, fetch }));
  const { epoch, instance } = await port.hello(helloMessage);
  t.equal(instance, 'sign-dev');
  const polling = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios: [{ text: createScenarioText() }] });
  t.match(await polling, { lease: { scenario_id: 'RT-GET-document' } });
  await port.hello(helloMessage);
  await t.rejects(port.poll({ epoch, in_hand: null, wait_ms: 0 }), { code: 'EXECUTOR_SUPERSEDED' });
});

t.test('an aborted poll is aborted on the server', async (t) => {
  const api = await startTestServer(t);
  const { executor_key: token } = await registerInstance(api);
  let poll: Request | undefined;
  const { url } = await startListener(t, (request, env) => {
    if (request.url.endsWith('/poll')) poll = request;
    return api.fetch(request, env);
  });
  const port = createHttpControlPort(createClient({ baseUrl: url, token, fetch }));
  const { epoch } = await port.hello(helloMessage);
  const controller = new AbortController();
  const polling = port.poll({ epoch, in_hand: null, wait_ms: 60_000 }, controller.signal);
  const rejection = t.rejects(polling, { message: 'stopping' });
  const arrivedPoll = await eventually(() => poll);
  controller.abort(new Error('stopping'));
  await rejection;
  await eventually(() => arrivedPoll.signal.aborted);
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios: [{ text: createScenarioText() }] });
  t.match(await (await api.ask('GET', '/api/v1/runs')).json(), { items: [{ state: 'queued' }] });
});

t.test('calls of a run start no timer of their own, and end with their signal', async (t) => {
  const { url } = await startListener(t, () => new Promise<Response>(() => {}));
  const port = createHttpControlPort(createClient({ baseUrl: url, token: 'key', fetch }));
  const lease = { run_id: '20261120T143012345', correlation_id: 'tr-1', scenario_id: 'RT-1' };
  const held = { epoch: 1, run_id: lease.run_id, fence: 2 };
  const timers = t.capture(runtimeTimers, 'after', runtimeTimers.after);
  const controller = new AbortController();
  const { signal } = controller;
  const calls: Promise<unknown>[] = [
    port.poll({ epoch: 1, in_hand: null, wait_ms: 60_000 }, signal),
    port.heartbeat(held, signal),
    port.complete({ ...held, more: true, report: createTestReport(lease, 'app') }, signal),
  ];
  const rejections = calls.map((call) => t.rejects(call, { message: 'stopping' }));
  t.equal(timers().length, 0);
  controller.abort(new Error('stopping'));
  await Promise.all(rejections);
  const alone = new AbortController();
  const rejection = t.rejects(port.giveBack(held, alone.signal), { message: 'stopping' });
  t.equal(timers().length, 1, 'others have a limit');
  alone.abort(new Error('stopping'));
  await rejection;
});

t.test('a newer protocol is refused with the version to install', async (t) => {
  const api = await startTestServer(t);
  const { executor_key: token } = await registerInstance(api);
  const { url } = await startListener(t, (request, env) => api.fetch(request, env));
  const port = createHttpControlPort(createClient({ baseUrl: url, token, fetch }));
  await t.rejects(port.hello({ ...helloMessage, protocol: 99 }), {
    code: 'EXECUTOR_PROTOCOL_UNKNOWN',
    cure: /0\.4\.0/,
  });
});

t.test('a report is sent in the text that the executor has stored', async (t) => {
  let received = '';
  const { url } = await startListener(t, async (request) => {
    received = await request.text();
    return Response.json({ lease: null });
  });
  const port = createHttpControlPort(createClient({ baseUrl: url, token: 'key', fetch }));
  const lease = { run_id: '20261120T143012345', correlation_id: 'tr-1', scenario_id: 'RT-"GET"' };
  const message = { epoch: 1, run_id: lease.run_id, fence: 2, more: true, report: createTestReport(lease, 'app') };
  const stored = formatReportJson(message.report);
  t.equal(formatReportJson(message.report), stored);
  await port.complete(message);
  t.same(JSON.parse(received), message);
  t.ok(received.includes(stored));
});
