import t from 'tap';
import { openHttpMetrics } from '../../src/metrics/http-metrics.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';
import { createRunMetrics } from '../../src/metrics/run-metrics.ts';

t.test('counters, histograms and gauges are exposed in the text format', async (t) => {
  const metrics = await openMetrics();
  const counter = metrics.counter({ name: 'a_total', help: 'Counts.', labels: ['of'] });
  counter.add({ of: 'x' });
  counter.add({ of: 'x' }, 2);
  metrics.histogram({ name: 'b_seconds', help: 'Sorts.', labels: [] }, [0.1, 1]).observe({}, 0.5);
  metrics.gauge({ name: 'c_things', help: 'Is.', labels: ['of'] }, async () => [{ labels: { of: 'y' }, value: 4 }]);
  const text = await metrics.text();
  for (const line of [
    '# TYPE a_total counter',
    'a_total{of="x"} 3',
    'b_seconds_bucket{le="0.1"} 0',
    'b_seconds_sum 0.5',
  ]) {
    t.ok(text.includes(line), line);
  }
  t.match(text, /^# HELP c_things Is\.$\n^# TYPE c_things gauge$\n^c_things\{of="y"\} 4$/m);
  t.match(metrics.contentType, /version=0\.0\.4/);
});

t.test('each scrape has every value of a histogram, however many there are', async (t) => {
  const metrics = await openMetrics();
  const histogram = metrics.histogram({ name: 'b_seconds', help: 'Sorts.', labels: ['of'] }, [0.1, 1]);
  for (let count = 1; count <= 1000; count += 1) {
    histogram.observe({ of: count % 2 === 0 ? 'x' : 'y' }, 0.5);
    if (![1, 2, 127, 128, 129, 1000].includes(count)) continue;
    const text = await metrics.text();
    const counts = [...text.matchAll(/^b_seconds_count\{of="[xy]"\} (\d+)$/gm)].map(([, value]) => Number(value));
    t.equal(
      counts.reduce((sum, value) => sum + value, 0),
      count,
    );
  }
  histogram.observe({ of: 'x' }, 0.5);
  histogram.initialize({ of: 'x' });
  t.match(await metrics.text(), /^b_seconds_count\{of="x"\} 0$/m, 'values before it are set to zero too');
});

t.test('removed labels are no longer exposed', async (t) => {
  const metrics = await openMetrics();
  const instances = new Set(['a', 'b']);
  metrics.gauge({ name: 'things', help: 'Is.', labels: ['of'] }, async () =>
    [...instances].map((source) => ({ labels: { of: source }, value: 1 })),
  );
  t.match(await metrics.text(), /of="b"/);
  instances.delete('b');
  t.notMatch(await metrics.text(), /of="b"/);
});

t.test('a value that cannot be read fails the scrape', async (t) => {
  const metrics = await openMetrics();
  metrics.gauge({ name: 'things', help: 'Is.', labels: [] }, async () => {
    throw new Error('the store is closed');
  });
  await t.rejects(metrics.text(), /the store is closed/);
});

t.test('registries share nothing, and process metrics are optional', async (t) => {
  const [own, other] = [await openMetrics(), await openMetrics()];
  own.counter({ name: 'a_total', help: 'Counts.', labels: [] }).add({});
  t.equal((await other.text()).trim(), '');
  t.match(await (await openMetrics(true)).text(), /^process_resident_memory_bytes \d+$/m);
});

t.test('requests count by route, method and class; streams have no duration', async (t) => {
  const metrics = await openMetrics();
  const http = openHttpMetrics(metrics);
  t.equal(openHttpMetrics(metrics), http, 'all listeners of a process count together');
  http.countResponse('/x/{id}', 'GET', 204, 3);
  http.countResponse('/x/{id}', 'GET', 200, 40);
  http.countResponse('/events', 'GET', 200, undefined);
  http.countResponse('unknown', 'BREW', 404, undefined);
  const text = await metrics.text();
  for (const line of [
    'vp_http_requests_total{route="/x/{id}",method="GET",status_class="2xx"} 2',
    'vp_http_requests_total{route="unknown",method="other",status_class="4xx"} 1',
    'vp_http_request_duration_seconds_bucket{le="0.005",route="/x/{id}"} 1',
    'vp_http_request_duration_seconds_sum{route="/x/{id}"} 0.043',
  ]) {
    t.ok(text.includes(line), line);
  }
  t.notMatch(text, /duration_seconds_count\{route="\/events"/);
});

t.test('an executor that never called has no last-seen metric', async (t) => {
  const metrics = await openMetrics();
  const totals = { requested: 5, passed: 2, failed: 1, cancelled: 0, executorsLost: 1, staleStores: { executor: 1 } };
  const runs = createRunMetrics(metrics, {
    totals: () => totals,
    queues: async () => [
      { instance: 'a', queued: 3, running: 1, lastSeenAgoMs: 1500 },
      { instance: 'b', queued: 0, running: 0, lastSeenAgoMs: null },
    ],
    findClockJump: () => ({ byMs: -7_200_000 }),
  });
  runs.recordFinished({ result: null, queuedMs: 20, totalMs: 10 });
  const text = await metrics.text();
  for (const line of [
    'vp_executor_seen_ago_seconds{instance_id="a"} 1.5',
    'vp_clock_jump_seconds -7200',
    'vp_queue_runs{instance_id="a",state="queued"} 3',
    'vp_queue_runs{instance_id="b",state="in_progress"} 0',
    'vp_runs_total{result="passed"} 2',
    'vp_runs_total{result="cancelled"} 0',
    'vp_executors_lost_total 1',
    'vp_run_duration_seconds_count{result="cancelled"} 1',
  ]) {
    t.ok(text.includes(line), line);
  }
  t.notMatch(text, /seen_ago_seconds\{instance="b"/);
});

t.test('stores that turned out to be older copies are counted by their kind', async (t) => {
  const metrics = await openMetrics();
  const totals = { requested: 0, passed: 0, failed: 0, cancelled: 0, executorsLost: 0 };
  createRunMetrics(metrics, {
    totals: () => ({ ...totals, staleStores: { executor: 2, 'control plane': 1 } }),
    queues: async () => [],
    findClockJump: () => undefined,
  });
  const text = await metrics.text();
  for (const line of ['vp_stale_stores_total{store="executor"} 2', 'vp_stale_stores_total{store="control plane"} 1'])
    t.ok(text.includes(`${line}\n`), line);
});
