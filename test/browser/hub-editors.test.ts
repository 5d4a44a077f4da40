/** Two owners who edit the same hub in two browsers: neither overwrites what the other has not seen. */
import { findProblemsAsDisplayed } from './appearances.ts';
import { browserTest } from './browser-test.ts';
import { addBen, createHub, signUpBen } from './hub-steps.ts';
import { waitForValue } from './wait-for.ts';

browserTest('a name that another owner has changed is shown before it is replaced', async (t, fixture) => {
  const page = await fixture.owner();
  const other = await signUpBen(page, fixture);
  await createHub(page, 'acme');
  await addBen(page, 'owner');
  for (const each of [page, other]) {
    await each.goto('/hubs/acme/general');
    await waitForValue(t, () => each.getByLabel('Name').inputValue(), 'acme');
  }
  await page.getByLabel('Name').fill('Of Ana');
  await other.getByLabel('Name').fill('Of Ben');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'General Of Ana' }).waitFor();
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('The name of the hub acme is Of Ana by now, not acme.').waitFor();
  await other.getByRole('heading', { name: 'General Of Ana' }).waitFor();
  await waitForValue(t, () => other.getByLabel('Name').inputValue(), 'Of Ben', 'what was typed stays');
  t.same(await findProblemsAsDisplayed(other), []);
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByRole('heading', { name: 'General Of Ben' }).waitFor();
  await other.getByText('by now, not acme').waitFor({ state: 'detached' });
});

browserTest('a role that another owner has changed is shown before it is replaced', async (t, fixture) => {
  const page = await fixture.owner();
  const other = await signUpBen(page, fixture);
  await createHub(page, 'acme');
  await addBen(page, 'owner');
  const role = page.getByLabel('Role of Ben Okoye');
  await waitForValue(t, () => role.inputValue(), 'owner');
  await other.goto('/hubs/acme/members');
  await other.getByLabel('Role of Ben Okoye').selectOption('viewer');
  await other.getByText('Only owners of the hub can add people and change roles.').waitFor();
  await role.selectOption('member');
  await page.getByText('The role of Ben Okoye in the hub acme is viewer by now, not owner.').waitFor();
  await waitForValue(t, () => role.inputValue(), 'viewer', 'the present role');
  t.same(await findProblemsAsDisplayed(page), []);
  await role.selectOption('member');
  await page.getByText('by now, not owner').waitFor({ state: 'detached' });
  await waitForValue(t, () => role.inputValue(), 'member');
});
