/**
 * What the pages say about a simulated year, against its truth (test/server/insight/year.ts): regressions with the version that
 * brought them, flaky scenarios, and a slow drift. `test/server/insight/year.test.ts` asks the API the same.
 */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { createConsoleHandler } from '../../src/server/console/console-assets.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { startListener } from '../http/test-listener.ts';
import {
  dayMs,
  drift,
  flakyRates,
  regressions,
  stableScenarios,
  startYear,
  versions,
  yearDays,
} from '../server/insight/year.ts';
import { registerInstance, startTestServer } from '../server/test-server.ts';
import { ana } from './browser-test.ts';
import { openChromium } from './chromium.ts';
import { waitForCount } from './wait-for.ts';

const seed = 20_261_123;
const healthDays = [40, 80, 120, 160, 200, 240];

/** The cells of a table's rows, by the scenario in their first one. */
type Rows = ReadonlyMap<string, readonly string[]>;

async function openConsole(t: Test) {
  const clock = fakeClock();
  const startMs = Math.floor(clock.nowMs() / dayMs) * dayMs;
  const api = await startTestServer(t, { clock });
  await registerInstance(api, 'app');
  const answerConsole = createConsoleHandler();
  const { url } = await startListener(t, (request, env) => answerConsole(request) ?? api.fetch(request, env));
  const secret = await api.identity.setup.createSecret();
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const page = await browser.newPage({ baseURL: url });
  await page.goto(`/setup#${secret}`);
  await page.getByLabel('Your name').fill(ana.name);
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Create the first owner' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const writeUntil = await startYear(api.control, 'app', startMs, seed);
  const goTo = async (day: number): Promise<void> => {
    await writeUntil(day);
    clock.advance(startMs + day * dayMs - clock.nowMs());
  };
  return { page, goTo };
}

/** Opens a page of the instance; the session of the person ends as the year goes on. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`/instances/app${path}`);
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true });
  await page.locator('main h1').or(signIn).first().waitFor();
  if (!(await signIn.isVisible())) return;
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await signIn.click();
  await page.locator('main .landing').waitFor();
}

async function readRows(page: Page): Promise<Rows> {
  await page.locator('main tbody tr').first().waitFor();
  const texts = await page
    .locator('main tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td:not(:has(input)), th')].map((cell) => cell.textContent ?? '')),
    );
  return new Map(texts.map((cells) => [/RT-\d\d/.exec(cells[0] ?? '')?.[0] ?? '', cells]));
}

const select = (rows: Rows, matches: (cells: readonly string[]) => boolean): string[] =>
  [...rows].flatMap(([id, cells]) => (matches(cells) ? [id] : [])).sort();

const isStable = (id: string): boolean => stableScenarios.includes(id);

/** Scenarios with a word in their remark on the page of health. Its list draws first what the window shows. */
async function readRemarks(t: Test, page: Page, day: number) {
  await open(page, '/health');
  await waitForCount(t, page.locator('main tbody tr'), 40, `every scenario has a row on day ${day}`);
  const rows = await readRows(page);
  const withRemark = (word: RegExp): string[] => select(rows, (cells) => word.test(cells.at(-1) ?? ''));
  return { flaky: withRemark(/\bflaky\b/), slower: withRemark(/\bslower\b/) };
}

t.test('the pages tell a simulated year as it was', async (t) => {
  const { page, goTo } = await openConsole(t);
  const flaky = new Set<string>();
  const readHealthOn = async (day: number): Promise<readonly string[]> => {
    await goTo(day);
    const remarks = await readRemarks(t, page, day);
    for (const id of remarks.flaky) flaky.add(id);
    t.same(remarks.flaky.filter(isStable), [], `no stable scenario is flaky on day ${day}`);
    return remarks.slower;
  };
  for (const day of healthDays) await readHealthOn(day);

  await t.test('health shows a slow drift within three days', async (t) => {
    const days: number[] = [];
    for (let day = drift.fromDay; day <= drift.fromDay + 3; day += 1)
      if ((await readHealthOn(day)).includes(drift.scenario)) days.push(day);
    t.ok(days.length > 0 && !days.includes(drift.fromDay), `shown on the days ${days.join()} from ${drift.fromDay} on`);
    t.ok(days.includes(drift.fromDay + 3), 'and it stays');
  });

  for (const day of [280, 320, yearDays]) await readHealthOn(day);

  await t.test('health finds the flaky scenarios', async (t) => {
    const known = Object.keys(flakyRates);
    t.ok(known.filter((id) => flaky.has(id)).length >= 0.95 * known.length, [...flaky].sort().join(' '));
  });

  await t.test('comparisons name each regression with the version that brought it, and no other', async (t) => {
    const named = {
      failing: new Map<string, string>(),
      slower: new Map<string, string>(),
      intermittent: new Map<string, string>(),
    };
    for (const [index, head] of versions.entries()) {
      if (index === 0) continue;
      await open(page, `/compare?base=${versions[index - 1]}&head=${head}`);
      const rows = await readRows(page);
      for (const id of select(rows, ([, change = '']) => /^\W*newly failing/.test(change))) named.failing.set(id, head);
      for (const id of select(rows, ([, change = '']) => /flaky, fails more often/.test(change)))
        named.intermittent.set(id, head);
      for (const id of select(rows, (cells) => /\bslower\b/.test(cells[4] ?? '')))
        if (id !== drift.scenario) named.slower.set(id, head);
    }
    for (const kind of ['failing', 'slower', 'intermittent'] as const)
      t.same(Object.fromEntries([...named[kind]].sort()), regressions[kind], kind);
  });

  await t.test('failures show the version in which each was first seen', async (t) => {
    await open(page, '?state=open');
    const rows = await readRows(page);
    const more = page.getByRole('button', { name: 'Show more' });
    await waitForCount(t, more, 0, 'all are on the first page');
    const since = [...rows].map(([id, cells]) => [id, /version (\S+)$/.exec(cells[2] ?? '')?.[1]] as const);
    const expected = { ...regressions.failing, ...regressions.intermittent };
    t.same(Object.fromEntries(since.filter(([id]) => Object.hasOwn(expected, id)).sort()), expected);
    t.same([...rows.keys()].filter(isStable), []);
    await open(page, '');
    const failing = [...(await readRows(page)).keys()];
    t.ok(failing.includes('RT-31'), 'the regression of the present version fails now');
    t.notOk(failing.includes('RT-28'), 'an earlier one does not');
  });
});
