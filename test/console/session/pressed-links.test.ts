/** What a pressed link asks for before its page is rendered, and who gets the answers. */

import { QueryClient } from '@tanstack/react-query';
import { Window } from 'happy-dom';
import t from 'tap';
import { applyChangeEvents } from '../../../src/console/live/apply-changes.ts';
import { createConsoleClient } from '../../../src/console/session/client.ts';
import { dropPressedResponses } from '../../../src/console/session/early-responses.ts';
import { listenForPressedLinks } from '../../../src/console/session/pressed-links.ts';
import { createTestInstance } from '../test-records.ts';

const origin = 'http://localhost:7700';
const base = '/api/v1/instances/shop';

t.test('a link asks when it is pressed, and its page takes the answers', async (t) => {
  const window = new Window({
    url: `${origin}/instances/shop`,
    settings: { navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true } },
  });
  t.teardown(() => window.happyDOM.close());
  const { document, location, localStorage, Element } = window;
  const requests: string[] = [];
  Object.assign(globalThis, {
    ...{ document, location, localStorage, Element, addEventListener: window.addEventListener.bind(window) },
    fetch: async (url: string) => {
      const { pathname, search } = new URL(url, origin);
      requests.push(`${pathname}${search}`);
      return Response.json({ items: [], next_cursor: null, window_runs: 100, scenarios: [] });
    },
  });
  localStorage.setItem('vp.proof', 'proof-1');
  listenForPressedLinks();
  const client = createConsoleClient(origin);
  const press = (href: string, type = 'pointerdown', options: object = {}): void => {
    document.body.innerHTML = `<a href="${href}"><b>page</b></a>`;
    const event = new window.PointerEvent(type, { bubbles: true, pointerType: 'mouse', button: 0, ...options });
    document.querySelector('b')?.dispatchEvent(event);
  };
  const takeRequests = (): string[] => requests.splice(0);

  press('/instances/shop/health');
  press('/instances/shop/health', 'click');
  t.same(takeRequests(), [`${base}/health`, `${base}/quarantines`], 'once, although the click follows');
  await client.health.list('shop');
  t.same(takeRequests(), [], 'the page takes it');
  await client.health.list('shop');
  t.same(takeRequests(), [`${base}/health`], 'only once');

  press('/instances/shop/health', 'click');
  t.same(takeRequests(), [`${base}/health`], 'the key Enter is a click alone; what nobody took yet is not asked again');
  const queryClient = new QueryClient();
  applyChangeEvents(queryClient, [{ seq: 1, type: 'instance', instance: createTestInstance('shop') }]);
  await client.health.list('shop');
  t.same(takeRequests(), [], 'an executor that is there changes nothing');
  press('/instances/shop/health', 'click');
  takeRequests();
  applyChangeEvents(queryClient, [
    { seq: 2, type: 'scenario', instance: 'shop', scenario_id: 'RT-1', revision: 2, deleted: false },
  ]);
  await client.health.list('shop');
  t.same(takeRequests(), [`${base}/health`], 'not after a change');

  press('/instances/shop/health', 'click');
  await client.quarantines.release('shop', 'RT-1').catch(() => undefined);
  requests.length = 0;
  await client.health.list('shop');
  t.same(takeRequests(), [`${base}/health`], 'not after something was written');

  press('/instances/shop/health', 'click');
  const { now } = performance;
  performance.now = () => now.call(performance) + 2_001;
  requests.length = 0;
  await client.health.list('shop');
  performance.now = now;
  t.same(takeRequests(), [`${base}/health`], 'not when it is old');
  dropPressedResponses();

  for (const [href, type, options] of [
    ['/instances/shop', 'click', {}],
    ['/instances/shop/health', 'click', { ctrlKey: true }],
    ['/instances/shop/health', 'pointerdown', { button: 1 }],
    ['/instances/shop/health', 'pointerdown', { pointerType: 'touch' }],
    ['/instances/shop/runs?result=failed', 'click', {}],
    ['https://elsewhere.example/instances/shop/health', 'click', {}],
    ['/settings/people', 'click', {}],
  ] as const)
    press(href, type, options);
  t.same(takeRequests(), [], 'this page, other tabs, scrolling, filters, other origins and pages without data');
});
