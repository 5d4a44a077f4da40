/** Reports to a control plane in the same process: its commit comes first, and that of the outbox when it fails. */
import { join } from 'node:path';
import t from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { openStoreReader } from '../../../src/store/engine.ts';
import { outboxStoreKind } from '../../../src/store/outbox/outbox-schema.ts';
import { eventually } from '../../eventually.ts';
import { createExecutorSetup as createSetup } from '../executor-setup.ts';
import { scenarioText } from '../test-project.ts';

const text = scenarioText('GET ${INGESTION_URL}/api/v2/document', ['status=200', 'body has count']);

const createExecutorSetup = (t: Parameters<typeof createSetup>[0]) => createSetup(t, () => {}, true);

/** The state of each run in the store, and whether its report is there, as another process sees it. */
function readRuns(folder: string): { state: string; has_report: number }[] {
  const reader = openStoreReader(join(folder, 'executor.db'), outboxStoreKind);
  try {
    return reader.read((sql) =>
      sql.all('SELECT state, report IS NOT NULL AS has_report FROM runs ORDER BY seq'),
    ) as ReturnType<typeof readRuns>;
  } finally {
    reader.close();
  }
}

t.test('a report is not stored before it is handed in; the next start frees the slot', async (t) => {
  const { control, target, folder, testExecutor } = await createExecutorSetup(t);
  const complete = control.complete.bind(control);
  const storedRuns: unknown[] = [];
  control.complete = (message) => {
    storedRuns.push(readRuns(folder));
    return complete(message);
  };
  const runs = [control.request(text), control.request(text)];
  await eventually(() => control.completed.length === 2);
  t.strictSame(storedRuns, [
    [{ state: 'started', has_report: 0 }],
    [
      { state: 'acknowledged', has_report: 0 },
      { state: 'started', has_report: 0 },
    ],
  ]);
  t.strictSame(
    control.completed.map(({ run_id }) => run_id),
    runs,
  );
  await eventually(() => readRuns(folder).every(({ state }) => state === 'acknowledged'), {
    description: 'the acknowledgement of the last run, while a poll waits',
  });
  t.equal(target.arrived.length, 2);
  t.match(await testExecutor.executor.status(), { state: 'idle', waiting: 0 });
});

for (const isControlInProcess of [false, true])
  t.test(
    `a cancelled run behind another leaves no report waiting, ${isControlInProcess ? 'in one process' : 'in two'}`,
    async (t) => {
      const { control, testExecutor } = await createSetup(t, () => {}, isControlInProcess);
      control.request(text);
      control.cancel(control.request(text));
      control.request(text);
      await eventually(() => control.completed.length === 3);
      await eventually(async () => (await testExecutor.executor.status()).waiting === 0);
    },
  );

t.test('a report that the control plane cannot store is in the outbox before the next attempt', async (t) => {
  const { control, target, folder, testExecutor, restart } = await createExecutorSetup(t);
  control.refusals.set('complete', vpError('STORE_DISK_FULL', { file: 'control.db' }));
  const run = control.request(text);
  await eventually(() => control.count('complete') > 1);
  t.strictSame(readRuns(folder), [{ state: 'finished', has_report: 1 }]);
  await testExecutor.kill();
  control.refusals.clear();
  await restart();
  await eventually(() => control.completed.length === 1);
  t.strictSame(control.hellos[1]?.finished, [run]);
  t.match(control.completed[0]?.report, { run_id: run, result: 'passed' });
  t.equal(target.arrived.length, 1);
});

t.test('killed after the control plane has the report, before the outbox notes it: not sent again', async (t) => {
  const { control, target, folder, testExecutor, restart } = await createExecutorSetup(t);
  const complete = control.complete.bind(control);
  const { promise: isTaken, resolve: markTaken } = Promise.withResolvers<void>();
  control.complete = async (message) => {
    await complete(message);
    markTaken();
    return new Promise(() => {});
  };
  const run = control.request(text);
  await isTaken;
  await testExecutor.kill();
  control.complete = complete;
  t.strictSame(readRuns(folder), [{ state: 'started', has_report: 0 }]);
  await restart();
  await eventually(() => control.hellos.length === 2);
  t.match(control.hellos[1], { started: [run], finished: [] });
  const next = control.request(text);
  await eventually(() => control.completed.length === 2);
  t.strictSame(
    control.completed.map(({ run_id }) => run_id),
    [run, next],
  );
  t.equal(target.arrived.length, 2);
});

t.test('a run whose report was handed in does not keep direct runs from the slot', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  const complete = control.complete.bind(control);
  let direct: Promise<unknown> | undefined;
  control.complete = async (message) => {
    const offer = await complete(message);
    // As a caller does that waits for the verdict: before the poll, during which the outbox notes that the report was taken.
    setImmediate(() => {
      direct = testExecutor.executor.runDirect(text);
    });
    return offer;
  };
  control.request(text);
  await eventually(() => direct !== undefined);
  t.match(await direct, { result: 'passed', origin: 'direct' });
  t.equal(target.arrived.length, 2);
});

t.test('a cancelled run behind it does not hide it: the slot is free for the next', async (t) => {
  const { control, target, folder } = await createExecutorSetup(t);
  control.request(text);
  control.cancel(control.request(text));
  control.request(text);
  await eventually(() => control.completed.length === 3);
  t.strictSame(
    control.completed.map(({ report }) => report.result),
    ['passed', null, 'passed'],
  );
  t.equal(target.arrived.length, 2);
  await eventually(() => readRuns(folder).every(({ state }) => state === 'acknowledged'));
});

t.test('the report of a run with steps is stored first: what it noted leaves the outbox with it', async (t) => {
  const { control, folder } = await createExecutorSetup(t);
  const steps = text.replace(
    '## TRIGGER\n',
    '## STEPS\n\n### first\n\nGET ${INGESTION_URL}/api/v2/first\n\n- status=200\n\n## TRIGGER\n',
  );
  const complete = control.complete.bind(control);
  const storedRuns: unknown[] = [];
  control.complete = (message) => {
    storedRuns.push(readRuns(folder));
    return complete(message);
  };
  control.request(steps);
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, 'passed');
  t.strictSame(storedRuns, [[{ state: 'finished', has_report: 1 }]]);
});

t.test('killed before anybody has the report: listed as started, never sent again', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  const { promise: isOnItsWay, resolve: markOnItsWay } = Promise.withResolvers<void>();
  // The target has answered, and the control plane has not taken the report.
  control.complete = () => {
    markOnItsWay();
    return new Promise(() => {});
  };
  const run = control.request(text);
  await isOnItsWay;
  await testExecutor.kill();
  await restart();
  await eventually(() => control.hellos.length === 2);
  t.strictSame(control.hellos[1]?.started, [run]);
  t.equal(target.arrived.length, 1);
  await testExecutor.kill();
});
