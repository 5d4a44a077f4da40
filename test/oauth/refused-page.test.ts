/** What a person sees whose program asks wrongly, and what a program gets. */
import t from 'tap';
import { refusedRequestPage } from '../../src/server/refused-request-page.ts';
import { asking, registered } from './program.ts';
import { openTown } from './town.ts';

const town = await openTown(t);
const web = await registered(town, 'https://app.example/callback');

const set = (name: string, value: string) => (query: URLSearchParams) => query.set(name, value);
const wrong: readonly (readonly [
  name: string,
  change: (query: URLSearchParams) => void,
  error: string,
  told: RegExp,
])[] = [
  ['an unknown client', set('client_id', 'nobody'), 'invalid_client', /not known to this control plane/],
  [
    'a wrong redirect address',
    set('redirect_uri', 'https://evil.example/'),
    'invalid_redirect_uri',
    /not one of those/,
  ],
  ['a hub that can be none', set('resource', `${town.url}/hub/`), 'invalid_target', /ends in \/hub\/&lt;slug&gt;\/mcp/],
  ['no challenge', (query) => query.delete('code_challenge'), 'invalid_request', /does not understand/],
  ['no question', set('prompt', 'none'), 'login_required', /every program asks each time/],
  ['another way of the answer', set('response_mode', 'form_post'), 'unsupported_response_mode', /does not understand/],
];

for (const [name, change, error, told] of wrong) {
  const { url } = asking(web, change);
  t.test(`${name} is told to a person by a page that leads nowhere by itself`, async (t) => {
    const response = await town.max.go(url);
    t.equal(response.status, 400);
    t.equal(response.headers.get('location'), null);
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.match(response.headers.get('content-security-policy'), /^default-src 'none'; .*form-action 'none'/);
    t.equal(response.headers.get('x-frame-options'), 'DENY');
    const page = await response.text();
    t.match(page, /<title>This request cannot be answered · vp<\/title>/);
    t.match(page, told);
    t.match(page, error);
    t.notMatch(page, /http-equiv|<form|<a /i);
  });

  t.test(`${name} is told to a program as JSON`, async (t) => {
    for (const accept of ['application/json', '*/*']) {
      const response = await fetch(url, { headers: { accept }, redirect: 'manual' });
      t.equal(response.status, 400);
      t.match(response.headers.get('content-type'), 'application/json');
      t.equal(response.headers.get('location'), null);
      t.match(await response.json(), { error, error_description: String });
    }
  });
}

t.test('who comes back to a request that has ended is told so', async (t) => {
  const response = await town.max.go('/oauth/authorize/abcdefghijklmnop');
  t.equal(response.status, 400);
  t.match(await response.text(), /has ended, was answered already/);
});

t.test('nothing that the request says of itself becomes markup', async (t) => {
  const evil = '"><script>alert(1)</script>';
  for (const name of [
    'client_id',
    'redirect_uri',
    'resource',
    'state',
    'scope',
    'response_mode',
    'response_type',
    evil,
  ]) {
    const page = await (await town.max.go(asking(web, set(name, evil)).url)).text();
    t.notMatch(page, 'alert(1)</script', name);
  }
  const { html } = refusedRequestPage()({ error: evil, why: evil, host: evil });
  t.notMatch(html, '<script>alert');
  t.match(html, '&lt;script&gt;alert(1)');
  t.notMatch(refusedRequestPage()({ error: 'x', why: 'y'.repeat(9999) }).html, 'y'.repeat(400));
});

t.test('the page takes its style from the console, and does without where that is not built', async (t) => {
  const names = ['dist/console/assets/style-A1.css', 'dist/console/assets/theme-B2.js', 'dist/console/index.html'];
  const told = { error: 'invalid_client', why: undefined };
  const built = refusedRequestPage({ names: () => names, text: () => '' })(told);
  t.match(built.html, '<link rel="stylesheet" href="/assets/style-A1.css">');
  t.match(built.html, '<script src="/assets/theme-B2.js"></script>');
  t.notMatch(refusedRequestPage({ names: () => [], text: () => '' })(told).html, 'stylesheet');
});
