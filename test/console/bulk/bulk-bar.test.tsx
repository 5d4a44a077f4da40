import { act } from 'react';
import t, { type Test } from 'tap';
import type { BulkTask } from '../../../src/console/bulk/bulk-task.ts';
import type { BulkControl } from '../../../src/console/bulk/use-bulk-task.ts';
import type { RowSelection } from '../../../src/console/bulk/use-selection.ts';
import { renderConsole } from '../render-console.ts';

const displayedIds = Array.from({ length: 10 }, (_, index) => `r${index}`);
const items = displayedIds.map((id) => ({ id, label: `RT-${id}` }));

async function renderBar(t: Test, selectedCount = 2) {
  const calls: string[] = [];
  const note = (call: string) => () => void calls.push(call);
  const selection: RowSelection = {
    displayedIds,
    ids: new Set(displayedIds.slice(0, selectedCount)),
    ...{ toggle: note('toggle'), toggleAll: note('toggleAll'), deselect: note('deselect'), clear: note('clear') },
  };
  let bulk: BulkControl | undefined;
  const page = await renderConsole(t, '/', {}, async () => {
    const { BulkBar } = await import('../../../src/console/bulk/bulk-bar.tsx');
    const { useBulkTask } = await import('../../../src/console/bulk/use-bulk-task.ts');
    const Page = () => {
      bulk = useBulkTask();
      return (
        <BulkBar noun="run" selection={selection} bulk={bulk}>
          <button type="button">Cancel runs</button>
        </BulkBar>
      );
    };
    return <Page />;
  });
  const start = (task: BulkTask, onEnd?: Parameters<BulkControl['start']>[1]) =>
    act(async () => bulk?.start(task, onEnd));
  const section = (label: string) => page.container.querySelector(`section[aria-label=${label}]`);
  return { ...page, calls, start, section };
}

const task = (perform: BulkTask['perform'], more: Partial<BulkTask> = {}): BulkTask => {
  return { noun: 'run', doing: 'Cancelling', done: 'cancelled', items, perform, ...more };
};

t.test('the bar counts what is selected, and is gone without a selection', async (t) => {
  const { section, button, click, calls } = await renderBar(t);
  t.match(section('Selected')?.textContent, /^2 selected/);
  await click(button('Select all 10'));
  await click(button('Clear esc'));
  t.same(calls, ['toggleAll', 'clear']);
  const none = await renderBar(t, 0);
  t.equal(none.section('Selected'), null);
});

t.test('progress counts what was reported; a stop lets the present request end', async (t) => {
  const open: (() => void)[] = [];
  const { section, button, click, start } = await renderBar(t);
  await start(
    task(async (report, isStopped) => {
      for (const item of items) {
        if (isStopped()) return;
        await new Promise<void>((resolve) => open.push(resolve));
        report(item);
      }
    }),
  );
  t.match(section('Progress')?.textContent, /Cancelling 10 runs…0 of 10/);
  t.equal(section('Selected'), null, 'no second action beside it');
  await act(async () => open.shift()?.());
  t.match(section('Progress')?.textContent, /1 of 10/);
  await click(button('Stop'));
  await act(async () => open.shift()?.());
  t.match(section('Result')?.textContent, /2 of 10 runs cancelled\. 8 were not tried\./);
  t.equal(open.length, 0, 'no further request');
});

t.test('a second action does not start while one runs', async (t) => {
  const { start, section } = await renderBar(t);
  let started = 0;
  await start(task(() => new Promise(() => {})));
  await start(
    task(async () => {
      started += 1;
    }),
  );
  t.equal(started, 0);
  t.ok(section('Progress'));
});

t.test('the result has the focus, names eight refusals with their reasons, and counts the others', async (t) => {
  const { start, section, container } = await renderBar(t);
  await start(
    task(async (report) => {
      for (const item of items) report({ ...item, problem: `has ended ${item.id}` });
    }),
  );
  t.equal(document.activeElement, section('Result'));
  t.match(section('Result')?.textContent, /None of 10 runs cancelled\./);
  const entries = [...(section('Result')?.querySelectorAll('li') ?? [])].map((entry) => entry.textContent);
  t.equal(entries[0], 'RT-r0 has ended r0');
  t.same(entries.slice(8), ['and 2 more']);
  t.match(container.querySelector('[role=status]')?.textContent, /None of 10 runs cancelled/, 'it is read aloud');
  t.notOk([...container.querySelectorAll('button')].some(({ textContent }) => textContent === 'Undo'));
});

t.test('undo acts on what succeeded only, and the caller hears of it at the end', async (t) => {
  const { start, section, button, click } = await renderBar(t);
  const undone: string[] = [];
  const ended: string[] = [];
  const first = task(
    async (report) => {
      for (const item of items.slice(0, 3)) report(item.id === 'r1' ? { ...item, problem: 'has ended' } : item);
    },
    {
      undo: (succeeded) =>
        task(
          async (report) => {
            for (const item of succeeded) {
              undone.push(item.id);
              report(item);
            }
          },
          { items: succeeded, done: 'requested again' },
        ),
    },
  );
  await start(first, (succeeded) => ended.push(...succeeded.map(({ id }) => id)));
  t.same(ended, ['r0', 'r2']);
  await click(button('Undo'));
  t.same(undone, ['r0', 'r2']);
  t.match(section('Result')?.textContent, /2 runs requested again\./);
  await click(button('Dismiss'));
  t.equal(section('Result'), null);
});
