import t, { type Test } from 'tap';
import { renderConsole } from '../../render-console.ts';
import { createTestRun } from '../../test-run.ts';

const page = <T,>(items: readonly T[]) => ({ items, next_cursor: null });
const entries = ['RT-ORDERS', 'RT-INVOICES'].map((id) => ({ scenario_id: id, title: `GET ${id}`, tags: [] }));

/** The catalogue is not answered before `answer` is called. */
async function openDialog(t: Test) {
  const catalogue = Promise.withResolvers<unknown>();
  const requested: unknown[] = [];
  let closings = 0;
  const responses = {
    'GET /api/v1/instances/shop/scenarios': () => catalogue.promise,
    'POST /api/v1/instances/shop/runs': (_query: URLSearchParams, body: string) => {
      requested.push(JSON.parse(body));
      return { runs: [createTestRun(1)] };
    },
  };
  const rendered = await renderConsole(t, '/instances/shop/runs', responses, async () => {
    const { RunDialog } = await import('../../../../src/console/runs/list/run-dialog.tsx');
    const onClose = (): void => {
      closings += 1;
    };
    return <RunDialog instance="shop" onClose={onClose} />;
  });
  const { container, typeInto } = rendered;
  return {
    ...rendered,
    requested,
    answer: (items: readonly unknown[] = entries) => catalogue.resolve(page(items)),
    closings: () => closings,
    submitLabel: () => container.querySelector('[type=submit]')?.textContent,
    async search(text: string) {
      const input = container.querySelector<HTMLInputElement>('input[type=search]');
      if (input) await typeInto(input, text);
    },
  };
}

t.test('Enter before the catalogue is loaded waits for it, says so, and requests what was typed', async (t) => {
  const { search, click, button, submitLabel, answer, until, closings, requested } = await openDialog(t);
  await search('orders');
  await click(button('Run'));
  t.equal(submitLabel(), 'Waiting for the scenarios…');
  t.same(requested, []);
  answer();
  await until(() => closings() === 1);
  t.same(requested, [{ scenarios: [{ id: 'RT-ORDERS' }] }], 'once');
});

t.test('typing on after Enter takes it back', async (t) => {
  const { search, click, button, submitLabel, answer, until, closings, requested } = await openDialog(t);
  await click(button('Run'));
  await search('invoices');
  t.equal(submitLabel(), 'Run');
  answer();
  await until(() => submitLabel() === 'Run all 1 scenario');
  t.same(requested, []);
  t.equal(closings(), 0);
});

t.test('nothing is requested when the catalogue has nothing of what was typed', async (t) => {
  const { search, click, button, submitLabel, answer, until, closings, requested } = await openDialog(t);
  await search('refunds');
  await click(button('Run'));
  answer();
  await until(() => submitLabel() === 'Run all 0 scenarios');
  t.same(requested, []);
  t.equal(closings(), 0);
});
