import t, { type Test } from 'tap';
import type { Schedule } from '../../../src/contract/schedules-api.ts';
import { createScenarioText, startConsoleTestPlane } from '../render-with-control-plane.ts';

async function openDialog(
  t: Test,
  existing?: (vp: Awaited<ReturnType<typeof startConsoleTestPlane>>['vp']) => Promise<Schedule>,
) {
  const { vp, render } = await startConsoleTestPlane(t);
  await vp.scenarios.write('shop', 'RT-ORDERS', { text: createScenarioText('RT-ORDERS'), if_revision: 0 });
  const schedule = await existing?.(vp);
  let closings = 0;
  const page = await render(t, '/instances/shop/schedules', async () => {
    const { ScheduleDialog } = await import('../../../src/console/schedules/schedule-dialog.tsx');
    const onClose = () => {
      closings += 1;
    };
    return <ScheduleDialog instance="shop" onClose={onClose} {...(schedule ? { schedule } : {})} />;
  });
  return { ...page, vp, closings: () => closings };
}

t.test('a cron that is not one is refused before saving and by the server, and nothing is lost', async (t) => {
  const { container, until, type, click, button, vp, closings } = await openDialog(t);
  await type('Name', 'nightly');
  await type('Cron', 'at two');
  await until(() => /cron/i.test(container.querySelector('form > p.hint')?.textContent ?? ''));
  await click(button('Add schedule'));
  await until(() => container.querySelector('[role=alert]') !== null);
  t.match(container.querySelector('[role=alert]')?.textContent, /at two/);
  t.equal(closings(), 0);
  await type('Cron', '30 2 * * *');
  await type('Time zone', 'Europe/Lisbon');
  await until(() => /1 scenarios now/.test(container.textContent));
  t.equal(container.querySelectorAll('.failure-check').length, 5, 'the next five times');
  await click(button('Add schedule'));
  await until(() => closings() === 1);
  const [stored] = await vp.schedules.list('shop');
  t.match(stored, { schedule_id: 'nightly', definition: { cron: '30 2 * * *', time_zone: 'Europe/Lisbon' } });
});

t.test('only the fields of the chosen kind are shown and sent', async (t) => {
  const { container, choose, type, click, button, until, vp, closings } = await openDialog(t);
  const labels = () => [...container.querySelectorAll('label')].map(({ textContent }) => textContent);
  t.same(labels(), ['Name', 'When', 'Cron', 'Time zone', 'Tags', 'Scenarios']);
  await choose('When', 'every');
  t.same(labels(), ['Name', 'When', 'Interval', 'Tags', 'Scenarios']);
  await type('Name', 'often');
  await type('Interval', '6h');
  await type('Scenarios', 'RT-ORDERS, RT-*');
  await click(button('Add schedule'));
  await until(() => closings() === 1);
  const [stored] = await vp.schedules.list('shop');
  t.same(stored?.definition.scenarios, ['RT-ORDERS', 'RT-*']);
  t.equal(stored?.definition.every, '6h');
  t.equal(stored?.definition.cron, undefined);
});

t.test('a webhook shows its secret once, with the address to send it to', async (t) => {
  const { container, choose, type, click, button, until, closings } = await openDialog(t);
  await choose('When', 'webhook');
  await type('Name', 'deployed');
  await click(button('Add schedule'));
  await until(() => container.querySelector('code.wrap') !== null);
  t.match(container.querySelector('h2')?.textContent, 'Secret of deployed');
  t.ok((container.querySelector('code.wrap')?.textContent?.length ?? 0) >= 20);
  t.match(container.textContent, /\/api\/v1\/instances\/shop\/schedules\/deployed\/webhook/);
  await click(button('Done'));
  t.equal(closings(), 1);
});

t.test('what the form does not show stays as it was', async (t) => {
  const { type, click, button, until, vp, closings, container } = await openDialog(t, async (vp) => {
    await vp.schedules.create('shop', {
      ...{ schedule_id: 'nightly', cron: '0 2 * * *', time_zone: 'UTC', tags: ['smoke'], jitter_s: 60 },
    });
    const [created] = await vp.schedules.list('shop');
    if (!created) throw new Error('a schedule was created');
    return created;
  });
  t.match(container.querySelector('h2')?.textContent, 'Edit nightly');
  await type('Cron', '0 3 * * *');
  await click(button('Save'));
  await until(() => closings() === 1);
  const [stored] = await vp.schedules.list('shop');
  t.match(stored?.definition, { cron: '0 3 * * *', tags: ['smoke'], jitter_s: 60 });
});
