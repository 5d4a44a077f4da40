import t, { type Test } from 'tap';
import { startConsoleTestPlane } from '../../render-with-control-plane.ts';

async function renderForm(t: Test) {
  const { vp, render } = await startConsoleTestPlane(t);
  const page = await render(t, '/settings/environments', async () => {
    const { NewInstanceForm } = await import('../../../../src/console/settings/environments/new-instance.tsx');
    return <NewInstanceForm />;
  });
  const alert = () => page.container.querySelector('[role=alert]')?.textContent;
  return { ...page, vp, alert };
}

t.test('the key of a new executor is shown once, and is the one that the server knows', async (t) => {
  const { type, click, button, until, container, vp } = await renderForm(t);
  await type('Environment id', 'staging');
  await click(button('Register'));
  await until(() => container.querySelector('dialog') !== null);
  t.match(container.querySelector('dialog h2')?.textContent, 'Executor key of staging');
  t.match(container.querySelector('dialog')?.textContent, /VP_EXECUTOR_KEY/);
  t.equal(container.querySelector('input')?.value, '', 'the form is ready for the next one');
  t.ok((await vp.instances.list()).some(({ instance_id: id }) => id === 'staging'));
  const box = container.querySelector<HTMLInputElement>('dialog input[type=checkbox]');
  if (box) await click(box);
  await click(button('Done'));
  await until(() => container.querySelector('dialog') === null);
  t.notMatch(container.textContent, /VP_EXECUTOR_KEY/);
});

t.test('an id that is taken or malformed is refused beside the form, and can be corrected', async (t) => {
  const { type, click, button, until, container, alert } = await renderForm(t);
  await type('Environment id', 'shop');
  await click(button('Register'));
  await until(() => alert() !== undefined);
  t.match(alert(), /shop/);
  t.notOk(container.querySelector('dialog'));
  await type('Environment id', 'Not An Id');
  await click(button('Register'));
  await until(() => /Not An Id/.test(alert() ?? ''));
  await type('Environment id', 'shop-2');
  await click(button('Register'));
  await until(() => container.querySelector('dialog') !== null);
  t.equal(alert(), undefined);
});
