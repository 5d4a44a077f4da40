import t from 'tap';
import { describeBulkOutcome } from '../../../src/console/bulk/bulk-bar.tsx';
import { type BulkResult, oneByOne } from '../../../src/console/bulk/bulk-task.ts';
import { selectRange } from '../../../src/console/bulk/use-selection.ts';
import { vpError } from '../../../src/errors/vp-error.ts';

const items = ['a', 'b', 'c', 'd'].map((id) => ({ id, label: `RT-${id}` }));

async function perform(act: (item: { id: string }) => Promise<string | undefined>, isStopped = () => false) {
  const results: BulkResult[] = [];
  await oneByOne(items, act)((result) => results.push(result), isStopped);
  return results;
}

t.test('a refusal of one is reported with its reason, and the others are tried', async (t) => {
  const results = await perform(async ({ id }) => {
    if (id === 'b') throw vpError('RUN_FINAL', { run: 'x', state: 'passed' });
    return id === 'c' ? 'is running, and was told to stop' : undefined;
  });
  t.same(results, [
    { id: 'a', label: 'RT-a' },
    { id: 'b', label: 'RT-b', problem: 'run x has already ended: passed' },
    { id: 'c', label: 'RT-c', note: 'is running, and was told to stop' },
    { id: 'd', label: 'RT-d' },
  ]);
});

t.test('what concerns all ends the action, and the rest is not reported as done', async (t) => {
  const results = await perform(async ({ id }) => {
    if (id === 'b') throw vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://x', problem: 'no answer' });
    return undefined;
  });
  t.match(results, [{ id: 'a' }, { id: 'b', problem: /cannot be reached/ }]);
  t.equal(results.length, 2);
});

t.test('after a stop no further request is sent', async (t) => {
  const acted: string[] = [];
  const results = await perform(
    async ({ id }) => {
      acted.push(id);
      return undefined;
    },
    () => acted.length === 2,
  );
  t.same(acted, ['a', 'b']);
  t.equal(results.length, 2);
});

t.test('the outcome counts what succeeded', async (t) => {
  const texts = { noun: 'run', done: 'cancelled' };
  t.equal(describeBulkOutcome(3, 3, texts), '3 runs cancelled.');
  t.equal(describeBulkOutcome(1, 1, texts), '1 run cancelled.');
  t.equal(describeBulkOutcome(2, 3, texts), '2 of 3 runs cancelled.');
  t.equal(describeBulkOutcome(0, 3, texts), 'None of 3 runs cancelled.');
});

t.test('a range goes from the row selected before, in both directions', async (t) => {
  const ids = ['a', 'b', 'c', 'd'];
  t.same(selectRange(ids, 'b', 'd'), ['b', 'c', 'd']);
  t.same(selectRange(ids, 'd', 'b'), ['b', 'c', 'd']);
  t.same(selectRange(ids, undefined, 'c'), ['c']);
  t.same(selectRange(ids, 'gone', 'c'), ['c'], 'the row before is not displayed any more');
});
