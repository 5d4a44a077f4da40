/** A control plane does not lease a scenario with steps to an executor that would send a part of it. */
import t from 'tap';
import { executorFeatures } from '../../../src/contract/executor-api.ts';
import { formatError } from '../../../src/errors/vp-error.ts';
import { embedFiles } from '../../../src/scenario/embedded-files.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';
import { greet, newJournal } from './lease-fixture.ts';

const owner = { name: 'owner' };
const cleanup = '\n## CLEANUP\n\n### remove\n\nDELETE ${INGESTION_URL}/orders\n';

t.test('an older executor gets the next run; the one with steps ends with the reason', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.catalogue.write('app', 'RT-steps', { text: createScenarioText('RT-steps') + cleanup }, owner);
  await control.catalogue.write('app', 'RT-plain', { text: createScenarioText('RT-plain') }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const scenarios = [{ id: 'RT-steps' }, { id: 'RT-plain' }];
  const [steps, plain] = await control.runs.request('app', { scenarios }, owner);
  const { lease } = await port.poll({ epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 });
  t.equal(lease?.run_id, plain?.run_id);
  const { message } = formatError('RUN_STEPS_UNSUPPORTED', { instance: 'app' });
  t.match(await control.runs.get(steps?.run_id ?? ''), {
    state: 'failed',
    outcome: 'broken',
    failure_kind: 'protocol_error',
    failure_message: message,
    report: { exchange: { request: null } },
  });
});

t.test('of a long queue, a transaction ends ten runs that the executor cannot do', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.catalogue.write('app', 'RT-steps', { text: createScenarioText('RT-steps') + cleanup }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const { epoch } = welcome;
  const many = Array.from({ length: 25 }, () => ({ id: 'RT-steps' }));
  const scenarios = [{ id: 'RT-GET-document' }, ...many, { id: 'RT-GET-document' }];
  const runs = await control.runs.request('app', { scenarios }, owner);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 1 });
  if (!lease) throw new Error('no lease');
  const { run_id, fence } = lease;
  const report = createTestReport(lease, 'app');
  const next = await port.complete({ epoch, run_id, fence, more: true, call: 2, report, journal: newJournal });
  t.match(next, { lease: null, run_totals: { not_judged: 10 } });
  const polled = await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 3 });
  t.match(polled.lease, { run_id: runs.at(-1)?.run_id }, 'the poll ends all of the others');
});

t.test('an executor that knows steps gets the run', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.catalogue.write('app', 'RT-steps', { text: createScenarioText('RT-steps') + cleanup }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const [run] = await control.runs.request('app', { scenarios: [{ id: 'RT-steps' }] }, owner);
  const poll = { epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 };
  const { lease } = await port.poll({ ...poll, features: executorFeatures });
  t.equal(lease?.run_id, run?.run_id);
});

t.test('an executor that knows steps and no cases gets no scenario with cases', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const cases = '\n## CASES\n\n| case |\n| --- |\n| a |\n| b |\n';
  await control.catalogue.write('app', 'RT-cases', { text: createScenarioText('RT-cases') + cases }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const [first] = await control.runs.request('app', { scenarios: [{ id: 'RT-cases' }] }, owner);
  const poll = { epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 };
  t.equal((await port.poll({ ...poll, features: ['steps'] })).lease, null);
  t.match(await control.runs.get(first?.run_id ?? ''), { state: 'failed', report: { exchange: { request: null } } });
  const [second] = await control.runs.request('app', { scenarios: [{ id: 'RT-cases' }] }, owner);
  const { lease } = await port.poll({ ...poll, call: 2, features: executorFeatures });
  t.equal(lease?.run_id, second?.run_id);
});

t.test('an executor that does not know files gets no scenario that sends them', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const upload = '~~~multipart\nfile = @a.txt\n~~~';
  const files = '\n## FILES\n\n### @a.txt\n\n~~~base64\nYQ==\n~~~\n';
  const step = `## STEPS\n\n### upload\n\nPOST \${INGESTION_URL}/files\n\n${upload}\n\n## TRIGGER`;
  const text = createScenarioText('RT-files').replace('## TRIGGER', step) + files;
  await control.catalogue.write('app', 'RT-files', { text }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const [first] = await control.runs.request('app', { scenarios: [{ id: 'RT-files' }] }, owner);
  const poll = { epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 };
  t.equal((await port.poll({ ...poll, features: ['steps', 'cases'] })).lease, null);
  t.match(await control.runs.get(first?.run_id ?? ''), { state: 'failed', report: { exchange: { request: null } } });
  const [second] = await control.runs.request('app', { scenarios: [{ id: 'RT-files' }] }, owner);
  const { lease } = await port.poll({ ...poll, call: 2, features: executorFeatures });
  t.equal(lease?.run_id, second?.run_id);
});

t.test('an executor that reads no long texts gets no scenario whose files make it one', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const checks = /(### Runnable\n\n)/;
  const own = createScenarioText('RT-long').replace(checks, '$1- body matches schema a.json\n');
  const text = embedFiles(own, () => JSON.stringify({ type: 'object', title: 'x'.repeat(300_000) }));
  await control.catalogue.write('app', 'RT-long', { text }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const [first] = await control.runs.request('app', { scenarios: [{ id: 'RT-long' }] }, owner);
  const poll = { epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 };
  const features = executorFeatures.filter((feature) => feature !== 'long-texts');
  t.equal((await port.poll({ ...poll, features })).lease, null);
  t.match(await control.runs.get(first?.run_id ?? ''), { state: 'failed', report: { exchange: { request: null } } });
  const [second] = await control.runs.request('app', { scenarios: [{ id: 'RT-long' }] }, owner);
  const { lease } = await port.poll({ ...poll, call: 2, features: executorFeatures });
  t.equal(lease?.run_id, second?.run_id);
  t.equal(lease?.scenario_text, text);
});

t.test('an executor that does not know streams gets no scenario that receives one', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const text = createScenarioText('RT-stream').replace(/(### Runnable\n\n)/, '$1- receive events for 1s\n');
  await control.catalogue.write('app', 'RT-stream', { text }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const [first] = await control.runs.request('app', { scenarios: [{ id: 'RT-stream' }] }, owner);
  const poll = { epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 };
  const older = executorFeatures.filter((feature) => feature !== 'streams');
  t.equal((await port.poll({ ...poll, features: older })).lease, null);
  t.match(await control.runs.get(first?.run_id ?? ''), { state: 'failed', report: { exchange: { request: null } } });
});

t.test('an executor that does not know gRPC gets no scenario that calls it', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const step = '## STEPS\n\n### create\n\nGRPC shop.v1.Orders/CreateOrder\n\n## TRIGGER';
  const text = createScenarioText('RT-grpc').replace('## TRIGGER', step);
  await control.catalogue.write('app', 'RT-grpc', { text }, owner);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const [first] = await control.runs.request('app', { scenarios: [{ id: 'RT-grpc' }] }, owner);
  const poll = { epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 };
  const older = executorFeatures.filter((feature) => feature !== 'grpc');
  t.equal((await port.poll({ ...poll, features: older })).lease, null);
  t.match(await control.runs.get(first?.run_id ?? ''), { state: 'failed', report: { exchange: { request: null } } });
});
