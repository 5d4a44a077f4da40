/** Links to the connections page that somebody else wrote. */
import t from 'tap';
import { createHub } from './hub-visit.ts';
import { visit } from './visit.ts';

visit('a link neither breaks the connections page nor puts words of its writer on it', async (t, { owner }) => {
  const page = await owner();
  await createHub(page, 'acme');
  const words = 'Your account is locked, call 555 0100';
  for (const query of [
    'problem=constructor',
    'problem=__proto__&connection=toString',
    `problem=CONNECTION_SIGN_IN_OVER&connection=${encodeURIComponent(words)}`,
    `problem=${encodeURIComponent(words)}`,
    `signed_in=${encodeURIComponent(words)}`,
  ]) {
    await page.goto(`/hubs/acme/connections?${query}`);
    await page.getByText('No connection yet').waitFor();
    t.notMatch(await page.locator('body').innerText(), /555 0100|Signed in at/, query);
  }
  await page.goto('/hubs?problem=constructor');
  await page.getByRole('heading', { name: 'Hubs', exact: true }).waitFor();
});

t.setTimeout(240_000);
