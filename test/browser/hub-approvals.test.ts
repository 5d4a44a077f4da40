/** Calls that wait for an approval in the console: two people, live, by keyboard. */
import type { Test } from 'tap';
import { findBlankParts, findSeriousViolations, findUnreachableControls, measureOverflow } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { type BrowserTest, browserTest } from './browser-test.ts';
import {
  addBen,
  addConnection,
  allowPrivateUpstreams,
  callHub,
  clipboard,
  createHub,
  createToken,
  signUpBen,
} from './hub-steps.ts';
import { waitForCount } from './wait-for.ts';
import { startWeatherServer } from './weather-server.ts';

/** The hub `acme` of the owner, whose page it is, with a weather server, and a token of Ben, a member. */
async function openWeatherHub(t: Test, fixture: BrowserTest) {
  const page = await fixture.owner(clipboard);
  await createHub(page, 'acme');
  await addConnection(page, (await startWeatherServer(t)).url, 'weather');
  const other = await signUpBen(page, fixture);
  await addBen(page, 'member');
  await other.goto('/hubs/acme/tokens');
  return { page, other, token: await createToken(other, 'agent') };
}

browserTest(
  'a held call appears live, is approved by keyboard, and its caller gets the result',
  async (t, fixture) => {
    const { page, other, token } = await openWeatherHub(t, fixture);
    const call = (city: string): Promise<string> =>
      callHub(fixture.url, token, 'tools/call', { name: 'weather__forecast', arguments: { city } });
    t.match(await call('Porto'), /dry/);
    await page.goto('/hubs/acme/policy');
    await page.getByRole('button', { name: 'Add approval rule' }).click();
    const rule = page.getByRole('group', { name: 'Approval rule 1' });
    await rule.getByLabel('Tools').fill('weather__*');
    await page.getByRole('button', { name: 'Test on the calls of the last day' }).click();
    await page.getByText('Allowed calls that this policy holds until they are approved').waitFor();
    await page.getByRole('button', { name: 'Apply policy' }).click();
    await page.getByText('Revision 1, by Ana Lopes').waitFor();
    await page.goto('/hubs/acme/approvals');
    await page.getByText('No call waits for an approval.').waitFor();
    await page.getByRole('heading', { name: 'Nothing was decided yet' }).waitFor();
    const held = call('Fa\u200bro');
    await page.getByText('1 call waiting.').waitFor();
    const card = page.getByRole('region', { name: 'weather__forecast by Ben Okoye' });
    await card.getByText('U+200B 1 time').waitFor();
    await card.getByText('⟦U+200B⟧', { exact: true }).waitFor();
    t.same(await findSeriousViolations(page), []);
    t.same(await findBlankParts(page), []);
    t.same(await findUnreachableControls(page), []);
    await other.goto('/hubs/acme/approvals');
    await other.getByText('1 call waiting.').waitFor();
    await other.getByText('Call with city: Fa⟦U+200B⟧ro').click();
    await other.getByText('⟦U+200B⟧', { exact: true }).waitFor();
    await waitForCount(t, other.getByRole('button', { name: /Approve this call/ }), 0, 'not by its caller');
    await page.setViewportSize({ width: 390, height: 800 });
    t.ok((await measureOverflow(page)) <= 0, 'a narrow screen is wide enough');
    await card.getByRole('button', { name: 'Approve this call once' }).focus();
    await page.keyboard.press('Enter');
    t.match(await held, /dry/);
    await page.getByText('No call waits for an approval.').waitFor();
    await card.getByText('approved and used').waitFor();
    const denied = call('Faro');
    await page.getByText('1 call waiting.').waitFor();
    const second = page.getByRole('region', { name: 'weather__forecast by Ben Okoye' }).first();
    await second.getByText('Earlier calls of this tool by this person:').waitFor();
    await second.getByLabel('Comment for the caller').fill('not on Fridays');
    await second.getByRole('button', { name: /^Deny/ }).click();
    t.match(await denied, /denied by Ana Lopes: not on Fridays/);
    await page.goto('/hubs/acme/audit');
    for (const step of ['requested', 'approved', 'used', 'denied'])
      await page.getByText(`approval ${step}: weather__forecast`).first().waitFor();
    await waitForCount(t, page.getByText('weather__forecast', { exact: true }), 3, 'the calls, one of them denied');
  },
  allowPrivateUpstreams,
);

browserTest(
  'a waiting call that is open stays in its place, and says what became of it, when it is decided elsewhere',
  async (t, fixture) => {
    const { page, token } = await openWeatherHub(t, fixture);
    const { document } = await callApi<{ document: object }>(page, 'GET', '/hubs/acme/policy');
    const approvals = [{ tools: 'weather__*' }];
    await callApi(page, 'PUT', '/hubs/acme/policy', { if_revision: 0, document: { ...document, approvals } });
    await page.goto('/hubs/acme/approvals');
    const call = (city: string): Promise<string> =>
      callHub(fixture.url, token, 'tools/call', { name: 'weather__forecast', arguments: { city } });
    const first = call('Faro');
    await page.getByText('1 call waiting.').waitFor();
    const second = call('Lagos');
    await page.getByText('2 calls waiting.').waitFor();
    const waiting = page.getByRole('region', { name: 'Waiting' }).getByRole('region', { name: /by Ben Okoye$/ });
    await waiting.first().getByText('arguments.city: Faro').waitFor();
    const [oldest] = (
      await callApi<{ items: { approval: string }[] }>(page, 'GET', '/hubs/acme/approvals')
    ).items.reverse();
    const path = `/hubs/acme/approvals/${oldest?.approval}`;
    const { digest } = await callApi<{ digest: string }>(page, 'GET', path);
    await callApi(page, 'POST', path, { decision: 'deny', digest });
    t.match(await first, /denied by Ana Lopes/);
    await waiting.first().getByText('This call no longer waits: denied (Ana Lopes).').waitFor();
    await waitForCount(t, waiting.first().getByRole('button', { name: /Approve/ }), 0, 'it cannot be decided any more');
    await page.getByText('1 call waiting.').waitFor();
    await waitForCount(t, waiting, 2, 'neither has moved');
    await waiting.first().getByText('Call with city: Faro').click();
    await waitForCount(t, waiting, 1, 'it goes to those that were decided when it is closed');
    await waiting.getByText('Call with city: Lagos').click();
    await waiting.getByRole('button', { name: /^Deny/ }).click();
    t.match(await second, /denied by Ana Lopes/);
    await waitForCount(t, waiting, 0, 'what this person decides goes at once');
  },
  allowPrivateUpstreams,
);
