import t, { type Test } from 'tap';
import { renderConsole } from '../render-console.ts';
import { createScenarioText, startConsoleTestPlane } from '../render-with-control-plane.ts';
import { createTestInstance } from '../test-records.ts';

async function renderPalette(t: Test, initialQuery = '') {
  const { vp, render } = await startConsoleTestPlane(t);
  for (const id of ['RT-ORDERS', 'RT-INVOICES'])
    await vp.scenarios.write('shop', id, { text: createScenarioText(id), if_revision: 0 });
  const [run] = await vp.runs.request('shop', { scenarios: [{ id: 'RT-ORDERS' }] });
  if (!run) throw new Error('one run was requested');
  let closings = 0;
  const page = await render(t, '/instances/shop/runs', async () => {
    const { default: Palette } = await import('../../../src/console/palette/palette.tsx');
    const onClose = () => {
      closings += 1;
    };
    return <Palette initialQuery={initialQuery} onClose={onClose} />;
  });
  const input = page.container.querySelector<HTMLInputElement>('[role=combobox]');
  if (!input) throw new Error('the palette has no input');
  const options = () => [...page.container.querySelectorAll('[role=option]')].map(({ textContent }) => textContent);
  const selected = () => page.container.querySelector('[aria-selected=true]');
  return {
    ...page,
    run,
    input,
    options,
    selected,
    closings: () => closings,
    search: (text: string) => page.typeInto(input, text),
  };
}

t.test('the input has the focus, and searches scenarios of the catalogue by letters in their order', async (t) => {
  const { input, options, search, until, selected } = await renderPalette(t);
  t.equal(document.activeElement, input);
  await search('rt ord');
  await until(() => options().some((text) => /RT-ORDERS/.test(text ?? '')));
  t.match(options()[0], /^RT-ORDERS GET RT-ORDERS Scenario$/);
  t.notOk(options().some((text) => /RT-INVOICES/.test(text ?? '')));
  t.equal(input.getAttribute('aria-activedescendant'), selected()?.id);
});

t.test('arrows go through the results and round their ends; Enter opens the selected one', async (t) => {
  const { options, selected, press, search, closings, until } = await renderPalette(t);
  await search('settings');
  await search('notifications');
  await until(() => options().length > 0);
  const all = options();
  t.equal(selected()?.textContent, all[0]);
  await press('ArrowUp');
  t.equal(selected()?.textContent, all.at(-1));
  await press('ArrowDown');
  t.equal(selected()?.textContent, all[0]);
  await press('Enter');
  t.equal(closings(), 1);
  t.equal(location.pathname, '/settings/notifications');
});

t.test('what was typed before the palette was loaded is searched', async (t) => {
  const { input, options } = await renderPalette(t, 'people');
  t.equal(input.value, 'people');
  t.match(options()[0], /^People and invitations/);
});

t.test('another search starts at its first result, and a search without one says so', async (t) => {
  const { options, selected, press, search, container, closings, until } = await renderPalette(t);
  await press('ArrowDown');
  await search('people');
  t.equal(selected()?.textContent, options()[0]);
  await search('zzzzqqq');
  t.same(options(), []);
  await until(() => container.querySelector('.palette [role=status]')?.textContent === 'No results.');
  await press('Enter');
  t.equal(closings(), 0);
});

t.test('part of a run id finds the run in the history; a click opens it', async (t) => {
  const { run, options, search, until, container, click, closings } = await renderPalette(t);
  await search(run.run_id.slice(0, 14));
  await until(() => options().length > 0);
  t.match(options()[0], `Run ${run.run_id} RT-ORDERS`);
  const option = container.querySelector<HTMLElement>('[role=option]');
  if (option) await click(option);
  t.equal(closings(), 1);
  t.equal(location.pathname, `/runs/${run.run_id}`);
});

/** The list of environments is not answered before `answer` is called. */
async function renderLoadingPalette(t: Test) {
  const instances = Promise.withResolvers<unknown>();
  let closings = 0;
  const responses = {
    'GET /api/v1/instances': () => instances.promise,
    'GET /api/v1/instances/shop/scenarios': { items: [], next_cursor: null },
    'GET /api/v1/instances/shop/views': { items: [] },
    'GET /api/v1/hubs': { items: [] },
  };
  const rendered = await renderConsole(t, '/', responses, async () => {
    const { default: Palette } = await import('../../../src/console/palette/palette.tsx');
    const onClose = (): void => {
      closings += 1;
    };
    return <Palette initialQuery="" onClose={onClose} />;
  });
  const input = rendered.container.querySelector<HTMLInputElement>('[role=combobox]');
  if (!input) throw new Error('the palette has no input');
  return {
    ...rendered,
    input,
    closings: () => closings,
    status: () => rendered.container.querySelector('.palette [role=status]')?.textContent,
    answer: () => instances.resolve({ items: [createTestInstance('shop')], next_cursor: null }),
  };
}

t.test('Enter before anything is found waits until all is loaded, says so, and opens the first result', async (t) => {
  const { typeInto, input, press, status, answer, until, closings } = await renderLoadingPalette(t);
  await typeInto(input, 'schedules shop');
  t.equal(status(), 'Loading…', 'not: no results');
  await press('Enter');
  t.equal(status(), 'Opens the first result once all are loaded…');
  answer();
  await until(() => closings() === 1);
  t.equal(location.pathname, '/instances/shop/schedules');
});

t.test('typing on after Enter takes it back', async (t) => {
  const { typeInto, input, press, status, answer, until, closings } = await renderLoadingPalette(t);
  await typeInto(input, 'schedules');
  await press('Enter');
  await typeInto(input, 'zzzzqqq');
  t.equal(status(), 'Loading…');
  answer();
  await until(() => status() === 'No results.');
  t.equal(closings(), 0);
});
