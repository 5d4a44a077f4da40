/** Whether failures hit the process of an earlier failure, since when scenarios fail, and what a batch changed: on a real store. */
import t, { type Test } from 'tap';
import type { AgentPorts } from '../../../src/agents/ports.ts';
import { callTool, findTool } from '../../../src/agents/tools/call-tool.ts';
import type { Report } from '../../../src/report/report.ts';
import { openTestControlWithApp } from '../../control/control-fixture.ts';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';

const actor = { name: 'ana' };
const document = 'RT-GET-document';
const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };

/** A control plane whose runs end as the test says, and the product agent's tools on it. */
async function openProduct(t: Test) {
  const { control, clock } = await openTestControlWithApp(t);
  await control.catalogue.write('app', 'RT-two', { text: createScenarioText('RT-two') }, actor);
  const port = control.executorPort('app');
  const { epoch } = await port.hello(hello);
  const run = async (
    id: string,
    result: 'passed' | 'failed',
    pid?: number,
    startedAt?: string,
    failure?: Report['failure'],
  ): Promise<string> => {
    clock.advance(10);
    await control.runs.request('app', { scenarios: [{ id }] }, actor);
    const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    if (!lease) throw new Error('no lease');
    const text = `{"level":30,"pid":${pid},"hostname":"box","msg":"done"}`;
    const counts = { line_count: 1, error_count: 0, saga_event_count: 0, problem: null, cure: null, waited_ms: 1 };
    const started = startedAt === undefined ? {} : { process_started_at: startedAt };
    const log = { ...counts, ...started, lines: [{ text, level: '30', error: false, saga_event: false }] };
    const judged = createTestReport(lease, 'app', result);
    const report = { ...judged, log: pid === undefined ? null : log, failure: failure ?? judged.failure };
    await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    return lease.run_id;
  };
  const rename = (id: string, newId: string) => control.catalogue.rename('app', id, { new_id: newId }, actor);
  const runs = {
    get: (id: string) => control.runs.get(id),
    list: ({
      instance,
      scenario,
      states,
      until,
      limit = 50,
    }: Parameters<AgentPorts['control']['runs']['list']>[0] & object) =>
      control.runs.list(
        { instance, scenario, states, untilMs: until === undefined ? undefined : Date.parse(until) },
        { limit },
      ),
    listScenarioResults: (instance: string) => control.runs.listScenarioResults(instance),
  };
  // @ts-expect-error only what the tools of runs need
  const ports: AgentPorts = { control: { runs }, clock, redact: (text: string) => text };
  const ask = async (name: string, input: object = {}) => {
    const context = { instance: 'app', signal: new AbortController().signal, progress: undefined };
    const parts = { role: 'product', ports, onError: (error: unknown) => t.fail(String(error)) } as const;
    const { content, structuredContent } = await callTool(parts, findTool('product', name), input, context);
    return { text: content[0]?.text ?? '', data: structuredContent };
  };
  return { run, rename, ask, clock };
}

t.test('a failure in the process of the failure before it is warned about', async (t) => {
  const { run, ask } = await openProduct(t);
  const first = await run(document, 'failed', 4242);
  t.match((await ask('product__get_run_report', { run_id: first })).data, {
    target: { process: 'pid 4242 on box', failure_before: null, same_process_as_failure_before: null },
  });
  const second = await run(document, 'failed', 4242);
  const same = await ask('product__get_run_report', { run_id: second });
  t.match(same.data, { target: { failure_before: first, same_process_as_failure_before: true } });
  t.match(same.text, /Target: pid 4242 on box\. Warning: this is the same process as that of the failure before it/);
  const third = await run(document, 'failed', 5000);
  const other = await ask('product__get_run_report', { run_id: third });
  t.match(other.data, { target: { process: 'pid 5000 on box', same_process_as_failure_before: false } });
  t.notMatch(other.text, 'Warning');
  t.match((await ask('product__list_runs')).text, `${third}  failed  ${document}`);
  t.match((await ask('product__list_runs')).text, '[pid 5000 on box]');
});

t.test('what is not known is said: no pid, or the first process of a container', async (t) => {
  const { run, ask } = await openProduct(t);
  await run(document, 'failed', 1);
  const container = await ask('product__get_run_report', { run_id: await run(document, 'failed', 1) });
  t.match(container.data, { target: { same_process_as_failure_before: null } });
  t.match(container.text, /Whether the target was restarted since the failure before it .* is not known/);
  const unknown = await ask('product__get_run_report', { run_id: await run(document, 'failed') });
  t.match(unknown.data, { target: { process: null, same_process_as_failure_before: null } });
  t.match(unknown.text, /It is not known whether this process is that of the failure before it/);
});

t.test('in a container, the engine’s start time tells a restart', async (t) => {
  const { run, ask } = await openProduct(t);
  const [before, after] = ['2026-11-22T14:00:00.000Z', '2026-11-22T14:05:00.000Z'];
  await run(document, 'failed', 1, before);
  const same = await ask('product__get_run_report', { run_id: await run(document, 'failed', 1, before) });
  t.match(same.data, { target: { same_process_as_failure_before: true } });
  t.match(same.text, `Target: pid 1 on box, started at ${before}. Warning: this is the same process`);
  const restarted = await ask('product__get_run_report', { run_id: await run(document, 'failed', 1, after) });
  t.match(restarted.data, { target: { same_process_as_failure_before: false } });
  t.match(restarted.text, `started at ${before}`, 'the start before is named');
  const older = await ask('product__get_run_report', { run_id: await run(document, 'failed', 1) });
  t.match(older.data, { target: { same_process_as_failure_before: null } }, 'an executor that does not know the start');
});

t.test('a renamed scenario goes on failing since its first failure, and is the same one in batches', async (t) => {
  const { run, rename, ask, clock } = await openProduct(t);
  const first = await run(document, 'failed', 10);
  await rename(document, 'RT-renamed');
  clock.advance(5000);
  const newest = await run('RT-renamed', 'failed', 11);
  const { data } = await ask('product__get_error_summary');
  const series = { first_failed_run_id: first, failed_runs: 2 };
  t.match(data, {
    failures: [
      { scenario_id: 'RT-renamed', newest_run_id: newest, ...series },
      { scenario_id: document, newest_run_id: first, ...series },
    ],
    batches: { still_failing: ['RT-renamed'], newly_failing: [] },
  });
});

t.test('the summary says since when a scenario fails, with the first run', async (t) => {
  const { run, ask, clock } = await openProduct(t);
  await run(document, 'failed', 1);
  await run(document, 'passed', 1);
  clock.advance(1000);
  const first = await run(document, 'failed', 1);
  const newest = await run(document, 'failed', 1);
  const { data, text } = await ask('product__get_error_summary');
  t.match(data, {
    failures: [
      {
        ...{ count: 3, newest_run_id: newest, first_failed_run_id: first, failed_runs: 2 },
        ...{ failing_since_target: 'pid 1 on box', scenarios: [document], scenario_count: 1 },
      },
    ],
  });
  t.match(text, new RegExp(`failing since \\d{4}-\\S+Z, first run ${first} on pid 1 on box\\)`));
});

t.test('what keeps several scenarios from being judged is one entry that names them', async (t) => {
  const { run, ask } = await openProduct(t);
  const refused = { kind: 'target_unreachable', message: 'connect ECONNREFUSED 10.0.0.7:8080', cure: 'start it' };
  await run(document, 'failed', undefined, undefined, refused);
  await run('RT-two', 'failed', undefined, undefined, refused);
  await run('RT-two', 'failed');
  const { data, text } = await ask('product__get_error_summary');
  t.match(data, {
    failures: [
      { kind: 'target_unreachable', count: 2, scenario_count: 2, scenarios: ['RT-two', document] },
      { scenario_id: 'RT-two', count: 1, scenario_count: 1 },
    ],
  });
  t.match(text, '2 × target_unreachable RT-two and 1 other scenario: connect ECONNREFUSED');
});

t.test('the newest batch is told apart from the one before it', async (t) => {
  const { run, ask, clock } = await openProduct(t);
  await run(document, 'failed', 10);
  await run('RT-two', 'passed', 10);
  t.match((await ask('product__get_error_summary')).data, {
    batches: { before: null, newest: { runs: 2, failed: 1 } },
  });
  clock.advance(5000);
  await run(document, 'passed', 11);
  await run('RT-two', 'failed', 11);
  const restarted = await ask('product__get_error_summary');
  t.match(restarted.data, {
    batches: {
      newest: { runs: 2, failed: 1, target: 'pid 11 on box' },
      before: { runs: 2, failed: 1, target: 'pid 10 on box' },
      ...{ fixed: [document], newly_failing: ['RT-two'], still_failing: [] },
    },
  });
  t.match(restarted.text, /Newest batch \(since \S+; pid 11 on box\): 2 runs, 1 failed\nBatch before/);
  t.match(restarted.text, `fixed: ${document}\nnewly failing: RT-two`);
  clock.advance(120_000);
  await run('RT-two', 'failed', 11);
  t.match(
    (await ask('product__get_error_summary')).data,
    {
      batches: { newest: { runs: 1 }, before: { runs: 2 }, still_failing: ['RT-two'] },
    },
    'a pause also separates batches',
  );
});
