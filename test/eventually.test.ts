import t from 'tap';
import { eventually } from './eventually.ts';

t.test('it resolves with the first truthy value', async (t) => {
  let calls = 0;
  t.equal(await eventually(() => (++calls < 3 ? undefined : calls)), 3);
  t.equal(calls, 3);
});

t.test('it resolves with the first value that `until` accepts', async (t) => {
  let calls = 0;
  t.equal(await eventually(async () => calls++, { until: (count) => count === 0 }), 0);
  t.equal(await eventually(() => calls++, { until: (count) => count > 4 }), 5);
});

t.test('a check that throws is repeated', async (t) => {
  let calls = 0;
  const check = (): string => {
    calls += 1;
    if (calls < 3) throw new Error('not yet');
    return 'done';
  };
  t.equal(await eventually(check), 'done');
});

t.test('it fails with the description and the last value', async (t) => {
  let count = 0;
  const check = () => ({ state: 'queued', count: ++count > 0 });
  await t.rejects(eventually(check, { timeoutMs: 30, description: 'the run ends', until: () => false }), {
    message: "not within 30 ms: the run ends\nlast seen: { state: 'queued', count: true }",
  });
  await t.rejects(
    eventually(() => false, { timeoutMs: 1 }),
    { message: 'not within 1 ms: () => false\nlast seen: false' },
    'without a description, with the source of the check',
  );
  const output = `${'x'.repeat(5000)}the end`;
  await t.rejects(
    eventually(() => output, { timeoutMs: 1, until: () => false }),
    { message: /last seen: …x+the end$/ },
  );
});

t.test('it fails with the last error', async (t) => {
  const refusal = new Error('connection refused');
  await t.rejects(
    eventually(() => Promise.reject(refusal), { timeoutMs: 1, description: 'it listens' }),
    { message: /^not within 1 ms: it listens\nlast seen: Error: connection refused/, cause: refusal },
  );
});

t.test('it fails when a check does not end', async (t) => {
  const check = (): Promise<boolean> => new Promise(() => undefined);
  await t.rejects(eventually(check, { timeoutMs: 5, description: 'x' }), { message: /the first check has not ended/ });
});
