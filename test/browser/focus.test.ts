/** Where the focus is after an action with the keyboard, when its element is disabled or disappears. */
import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { browserTest } from './browser-test.ts';
import { allowPrivateUpstreams, clipboard, createHub, createToken } from './hub-steps.ts';
import { waitForCondition } from './wait-for.ts';
import { startWeatherServer } from './weather-server.ts';

async function press(page: Page, button: Locator): Promise<void> {
  await button.focus();
  await page.keyboard.press('Enter');
}

/** Visible means that it has an outline within the window. */
function waitForVisibleFocus(t: Test, target: Locator, description: string): Promise<void> {
  return waitForCondition(
    t,
    () =>
      target.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        const hasOutline = getComputedStyle(element).outlineStyle !== 'none';
        return element === document.activeElement && hasOutline && top >= 0 && bottom <= innerHeight;
      }),
    description,
  );
}

browserTest(
  'a button has the focus again after its request, and a dialog gives it back to a button that was disabled',
  async (t, { owner }) => {
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    await page.goto('/hubs/acme/connections');
    await page.getByRole('button', { name: 'Add connection…' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const hasNoFocus = () => page.evaluate(() => document.activeElement === document.body);
    await waitForCondition(t, hasNoFocus, 'nothing had the focus before the palette');
    const addConnection = page.getByRole('button', { name: 'Add connection…' });
    await press(page, addConnection);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL', { exact: true }).fill((await startWeatherServer(t)).url);
    await press(page, dialog.getByRole('button', { name: 'See what it offers' }));
    await waitForVisibleFocus(t, dialog.getByRole('button', { name: 'Add', exact: true }), 'the same button');
    await page.keyboard.press('Escape');
    await waitForVisibleFocus(t, addConnection, 'what opened the dialog');
    await page.goto('/hubs/acme/tokens');
    await createToken(page, 'agent');
    const reveal = page.getByRole('button', { name: 'Reveal agent' });
    await press(page, reveal);
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await waitForVisibleFocus(t, reveal, 'it was disabled when the dialog opened');
  },
  allowPrivateUpstreams,
);

browserTest(
  'the focus stays near a row that disappears, and on no button that removes another',
  async (t, { owner }) => {
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    for (const name of ['first', 'second']) {
      await createToken(page, name);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const revoke = async (name: string): Promise<void> => {
      await press(page, page.getByRole('button', { name: `Revoke… ${name}` }));
      await waitForCondition(
        t,
        async () => {
          const box = await page.getByRole('dialog').boundingBox();
          return box !== null && Math.abs(box.x * 2 + box.width - 1280) < 20;
        },
        'the dialog is in the middle of the window',
      );
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await page.getByRole('row', { name }).waitFor({ state: 'detached' });
    };
    await revoke('first');
    await waitForVisibleFocus(t, page.getByRole('row', { name: 'second' }), 'the other row');
    await page.keyboard.press('Tab');
    await waitForVisibleFocus(t, page.getByRole('button', { name: 'Reveal second' }), 'its first button is next');
    await revoke('second');
    await waitForVisibleFocus(t, page.locator('main :focus'), 'something else of the page');
  },
);

browserTest('a rule that is added to a policy has the focus', async (t, { owner }) => {
  const page = await owner();
  await createHub(page, 'acme');
  await page.goto('/hubs/acme/policy');
  for (const [button, group, field] of [
    ['Add caller rule', 'Caller rule 1', 'People of caller rule 1'],
    ['Add rule', 'Rule 1', 'Tools'],
    ['Add approval rule', 'Approval rule 1', 'Tools'],
    ['Add limit', 'Limit 3', 'For'],
    ['Add budget', 'Budget 1', 'For'],
  ] as const) {
    await press(page, page.getByRole('button', { name: button }));
    const newGroup = page.getByRole('group', { name: group, exact: true });
    await waitForVisibleFocus(t, newGroup.getByLabel(field), button);
  }
});
