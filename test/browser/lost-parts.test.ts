import { browserTest } from './browser-test.ts';
import { readOnce, waitForMatch } from './wait-for.ts';

browserTest('a main script that is lost once is loaded again', async (t, { owner }) => {
  const page = await owner();
  let losses = 0;
  await page.route('**/assets/main-*.js', (route) => {
    losses += 1;
    return losses === 1 ? route.abort() : route.continue();
  });
  await page.goto('/settings/environments');
  await page.getByRole('heading', { name: 'Environments' }).waitFor();
  t.equal(losses, 2);
});

browserTest('a main script that stays lost is told, with a way to try again', async (t, { owner }) => {
  const page = await owner();
  await page.route('**/assets/main-*.js', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('alert').getByText('A part of this page could not be loaded').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.pass('the page is back');
});

browserTest('the script of a page that is lost is loaded again, and told when it stays lost', async (t, { owner }) => {
  const page = await owner();
  // The first of the files that the page names for its settings is their own part; the others are imported by it.
  const files = await readOnce('the page itself says it', () =>
    page.locator('script[data-parts]').getAttribute('data-parts'),
  );
  const [part = ''] = JSON.parse(files ?? '{}')['^/settings'];
  const requestedUrls: string[] = [];
  await page.route(`**${part}*`, (route) => {
    requestedUrls.push(
      route
        .request()
        .url()
        .replace(/^.*\/assets\//, '/assets/'),
    );
    return requestedUrls.length === 1 ? route.abort() : route.continue();
  });
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Environments' }).waitFor();
  t.same(requestedUrls, [part, `${part}?attempt=2`]);
  await page.unrouteAll();
  await page.route('**/assets/part-*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Hubs' }).click();
  const problem = page.getByRole('alert');
  await problem.getByText('A part of this page could not be loaded').waitFor();
  await waitForMatch(t, () => problem.textContent(), /reload the page.*CONSOLE_PART_UNREACHABLE/);
  await page.unrouteAll();
  await problem.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Hubs', exact: true }).first().waitFor();
});
