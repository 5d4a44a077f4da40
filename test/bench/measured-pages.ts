/** The pages of an environment, how people reach them inside the console, and when their list is there. */
import type { Page } from 'playwright-core';
import { rareText, toVariedId } from './fill-varied.ts';
import type { MeasuredPage } from './page-visits.ts';

const click =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).first().click();

const choose =
  (label: string, value: string) =>
  async (page: Page): Promise<void> => {
    await page.getByLabel(label, { exact: true }).selectOption(value);
  };

/** Enter sends the search at once. */
const find =
  (text: string) =>
  async (page: Page): Promise<void> => {
    await page.getByLabel('Find runs').fill(text);
    await page.keyboard.press('Enter');
  };

const tab = (text: string) => click(`[role=tab]:has-text("${text}")`);
const row = click('main [data-row]');

/** `failedRun` is in the middle of the history, `suite` the newest one. */
export type MeasuredIds = { readonly instance: string; readonly failedRun: string; readonly suite: string };

export function listMeasuredPages({ instance, failedRun, suite }: MeasuredIds): readonly MeasuredPage[] {
  const base = `/instances/${instance}`;
  const runs = `${base}/runs`;
  const rail = (path: string) => click(`.rail a[href="${path}"]`);
  const runRows = '.run-list [data-row]';
  const runsPage = (name: string, query: string, act: MeasuredPage['act'], selector = runRows): MeasuredPage => ({
    name: `runs ${name}`,
    path: `${runs}?${query}`,
    from: runs,
    act,
    selector,
  });
  const search = (name: string, text: string, selector = runRows): MeasuredPage =>
    runsPage(name, `find=${encodeURIComponent(text)}`, find(text), selector);
  // With few runs it is found; with many, the page says up to where it has searched.
  const searched = `${runRows}, .list-end [role=status]`;
  return [
    { name: 'overview', path: '/', from: runs, act: rail('/'), selector: '.overview [data-row]' },
    { name: 'what needs a look', path: base, from: runs, act: rail(base), selector: '.landing [data-row]' },
    {
      name: 'open failures',
      path: `${base}?state=open`,
      from: base,
      act: click('.chip:text-is("open")'),
      selector: '.landing [data-row]',
    },
    {
      name: 'a failure',
      path: `${base}/failures/${(1).toString(16).padStart(16, '0')}`,
      from: base,
      act: row,
      selector: '.landing .run-table [data-row]',
    },
    { name: 'runs', path: runs, from: base, act: rail(runs), selector: runRows },
    runsPage('that failed', 'result=failed', click('.chip:text("failed")')),
    runsPage('that could not be judged', 'result=broken', click('.chip >> nth=2'), 'main .empty'),
    runsPage('of the last 30 days', 'since=30d', choose('Time', '30d')),
    runsPage('of one scenario', `scenario=${toVariedId(7)}`, choose('Scenario', toVariedId(7))),
    search('by a text that many have', 'verified'),
    search('by a text of failures', '"got 3"'),
    search('by a text that one old run has', `"${rareText}"`, searched),
    search('by tag and text', 'tag:smoke "got 3"'),
    search('by version and text', 'version:2.0 "got 3"'),
    search('by a path that none has', 'path:/none', 'main .empty'),
    { name: 'a run', path: `/runs/${failedRun}`, from: `${runs}?result=failed`, act: row, selector: '.run-panes' },
    {
      name: 'scenarios',
      path: `${base}/scenarios`,
      from: runs,
      act: rail(`${base}/scenarios`),
      selector: '.scenario-result a',
    },
    {
      name: 'a scenario',
      path: `${base}/scenarios/${toVariedId(7)}`,
      from: `${base}/scenarios`,
      act: click(`a[href$="${toVariedId(7)}"]`),
      selector: '.rendered h2',
    },
    {
      name: 'revisions of a scenario',
      path: `${base}/scenarios/${toVariedId(7)}?tab=history`,
      from: `${base}/scenarios/${toVariedId(7)}`,
      act: tab('History'),
      selector: '.history li',
    },
    {
      name: 'health',
      path: `${base}/health`,
      from: base,
      act: click('main a:text-is("Health")'),
      selector: 'main tbody [data-row]',
    },
    {
      name: 'comparison of two versions',
      path: `${base}/compare`,
      from: base,
      act: click(`main a[href="${base}/compare"]`),
      selector: 'section[aria-label=Changes]',
    },
    {
      name: 'suites',
      path: `${base}/suites`,
      from: runs,
      act: rail(`${base}/suites`),
      selector: '.landing [data-row]',
    },
    {
      name: 'a suite',
      path: `${base}/suites/${suite}`,
      from: `${base}/suites`,
      act: row,
      selector: '.landing .run-table [data-row]',
    },
    {
      name: 'schedules',
      path: `${base}/schedules`,
      from: runs,
      act: rail(`${base}/schedules`),
      selector: '.landing tbody tr',
    },
    {
      name: 'notifications',
      path: '/settings/notifications',
      from: '/settings/people',
      act: click('main a[href="/settings/notifications"]'),
      selector: 'section[aria-labelledby=delivery-log] tbody tr',
    },
  ];
}
