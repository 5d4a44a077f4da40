import t, { type Test } from 'tap';
import type { Quarantine } from '../../../src/contract/quarantines-api.ts';
import { createScenarioText, startConsoleTestPlane } from '../render-with-control-plane.ts';

async function openDialog(t: Test, scenario = 'RT-ORDERS', quarantine?: Quarantine) {
  const { vp, render } = await startConsoleTestPlane(t);
  await vp.scenarios.write('shop', 'RT-ORDERS', { text: createScenarioText('RT-ORDERS'), if_revision: 0 });
  let closings = 0;
  const page = await render(t, '/instances/shop/health', async () => {
    const { QuarantineDialog } = await import('../../../src/console/quarantines/quarantine-dialog.tsx');
    const onClose = () => {
      closings += 1;
    };
    return <QuarantineDialog instance="shop" scenario={scenario} quarantine={quarantine} onClose={onClose} />;
  });
  const dateInput = page.container.querySelector<HTMLInputElement>('input[type=date]');
  return { ...page, vp, dateInput, closings: () => closings };
}

const dayMs = 86_400_000;
const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

t.test('a reason is needed; two weeks are proposed, and the day counts to its end', async (t) => {
  const { button, type, click, until, vp, dateInput, closings } = await openDialog(t);
  const beforeMs = Date.parse(dateInput?.min ?? '');
  t.equal(dateInput?.value, toDay(beforeMs + 14 * dayMs));
  t.equal(button('Put in quarantine').disabled, true);
  await type('Reason', '  ');
  t.equal(button('Put in quarantine').disabled, true, 'white space is no reason');
  await type('Reason', 'the clock of the target');
  await click(button('Put in quarantine'));
  await until(() => closings() === 1);
  const [stored] = await vp.quarantines.list('shop');
  t.match(stored, {
    ...{ scenario_id: 'RT-ORDERS', reason: 'the clock of the target' },
    until: `${dateInput?.value}T23:59:59.999Z`,
  });
});

t.test('what the server refuses is told in the dialog, which stays', async (t) => {
  const { button, type, click, until, container, closings } = await openDialog(t, 'RT-GONE');
  await type('Reason', 'flaky');
  await click(button('Put in quarantine'));
  await until(() => container.querySelector('[role=alert]') !== null);
  t.match(container.querySelector('[role=alert]')?.textContent, /RT-GONE/);
  t.equal(closings(), 0);
  t.equal(container.querySelector('textarea')?.value, 'flaky');
});

t.test('a present quarantine is shown in the fields and replaced', async (t) => {
  const until = toDay(Date.now() + 3 * dayMs);
  const present: Quarantine = {
    ...{ scenario_id: 'RT-ORDERS', until: `${until}T23:59:59.999Z`, reason: 'flaky', owner: 'ben' },
    ...{ created_at: '2026-11-20T14:30:12.000Z', created_by: 'Ana' },
  } as Quarantine;
  const page = await openDialog(t, 'RT-ORDERS', present);
  t.equal(page.dateInput?.value, until);
  t.match(page.container.querySelector('h2')?.textContent, 'Quarantine of RT-ORDERS');
  await page.type('Owner', '');
  await page.type('Reason', 'flaky since 2.1');
  await page.click(page.button('Save'));
  await page.until(() => page.closings() === 1);
  const [stored] = await page.vp.quarantines.list('shop');
  t.equal(stored?.reason, 'flaky since 2.1');
  t.not(stored?.owner, 'ben', 'an empty owner is not sent');
});
