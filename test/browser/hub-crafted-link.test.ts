import { browserTest } from './browser-test.ts';
import { createHub } from './hub-steps.ts';
import { readOnce } from './wait-for.ts';

browserTest('a crafted link neither breaks the connections page nor injects text into it', async (t, { owner }) => {
  const page = await owner();
  await createHub(page, 'acme');
  const phishingText = 'Your account is locked, call 555 0100';
  for (const query of [
    'problem=constructor',
    'problem=__proto__&connection=toString',
    `problem=CONNECTION_SIGN_IN_OVER&connection=${encodeURIComponent(phishingText)}`,
    `problem=${encodeURIComponent(phishingText)}`,
    `signed_in=${encodeURIComponent(phishingText)}`,
  ]) {
    await page.goto(`/hubs/acme/connections?${query}`);
    await page.getByText('No connections yet').waitFor();
    const text = await readOnce('it must not be there at any time', () => page.locator('body').innerText());
    t.notMatch(text, /555 0100|Signed in at/, query);
  }
  await page.goto('/hubs?problem=constructor');
  await page.getByRole('heading', { name: 'Hubs', exact: true }).waitFor();
});
