/** The error page and the JSON for invalid authorization requests. */
import t from 'tap';
import { createRefusedRequestPage } from '../../src/server/oauth/refused-request-page.ts';
import { startHubControlPlane } from './hub-control-plane.ts';
import { prepareAuthorization, registerClient } from './oauth-client.ts';

const plane = await startHubControlPlane(t);
const webClient = await registerClient(plane, 'https://app.example/callback');

const set = (name: string, value: string) => (query: URLSearchParams) => query.set(name, value);
const invalidRequests: readonly (readonly [
  name: string,
  change: (query: URLSearchParams) => void,
  error: string,
  expectedText: RegExp,
])[] = [
  ['an unknown client', set('client_id', 'nobody'), 'invalid_client', /does not know the app/],
  [
    'a wrong redirect URI',
    set('redirect_uri', 'https://evil.example/'),
    'invalid_redirect_uri',
    /not one of those that the app registered/,
  ],
  ['an invalid hub slug', set('resource', `${plane.url}/hub/`), 'invalid_target', /ends in \/hub\/&lt;slug&gt;\/mcp/],
  ['no code challenge', (query) => query.delete('code_challenge'), 'invalid_request', /does not support the request/],
  ['prompt=none', set('prompt', 'none'), 'login_required', /asks for consent every time/],
  [
    'another response mode',
    set('response_mode', 'form_post'),
    'unsupported_response_mode',
    /does not support the request/,
  ],
];

for (const [name, change, error, pageText] of invalidRequests) {
  const { url } = prepareAuthorization(webClient, change);
  t.test(`${name} gives a browser an error page without a redirect`, async (t) => {
    const response = await plane.max.navigate(url);
    t.equal(response.status, 400);
    t.equal(response.headers.get('location'), null);
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.match(response.headers.get('content-security-policy'), /^default-src 'none'; .*form-action 'none'/);
    t.equal(response.headers.get('x-frame-options'), 'DENY');
    const page = await response.text();
    t.match(page, /<title>This request cannot be answered · vp<\/title>/);
    t.match(page, pageText);
    t.match(page, error);
    t.notMatch(page, /http-equiv|<form|<a /i);
  });

  t.test(`${name} gives other clients JSON`, async (t) => {
    for (const accept of ['application/json', '*/*']) {
      const response = await fetch(url, { headers: { accept }, redirect: 'manual' });
      t.equal(response.status, 400);
      t.match(response.headers.get('content-type'), 'application/json');
      t.equal(response.headers.get('location'), null);
      t.match(await response.json(), { error, error_description: String });
    }
  });
}

t.test('returning to an expired interaction gives an error page', async (t) => {
  const response = await plane.max.navigate('/oauth/authorize/abcdefghijklmnop');
  t.equal(response.status, 400);
  t.match(await response.text(), /has expired, was answered already/);
});

t.test('no request parameter becomes markup', async (t) => {
  const hostileText = '"><script>alert(1)</script>';
  for (const name of [
    'client_id',
    'redirect_uri',
    'resource',
    'state',
    'scope',
    'response_mode',
    'response_type',
    hostileText,
  ]) {
    const page = await (await plane.max.navigate(prepareAuthorization(webClient, set(name, hostileText)).url)).text();
    t.notMatch(page, 'alert(1)</script', name);
  }
  const { html } = createRefusedRequestPage()({ error: hostileText, description: hostileText, host: hostileText });
  t.notMatch(html, '<script>alert');
  t.match(html, '&lt;script&gt;alert(1)');
  t.notMatch(createRefusedRequestPage()({ error: 'x', description: 'y'.repeat(9999) }).html, 'y'.repeat(400));
});

t.test('the page uses the style of the console, or none when the console is not built', async (t) => {
  const names = ['dist/console/assets/style-A1.css', 'dist/console/assets/start-B2.js', 'dist/console/index.html'];
  const errorResponse = { error: 'invalid_client', description: undefined };
  const builtPage = createRefusedRequestPage({ names: () => names, text: () => '' })(errorResponse);
  t.match(builtPage.html, '<link rel="stylesheet" href="/assets/style-A1.css">');
  t.match(builtPage.html, '<script src="/assets/start-B2.js"></script>');
  t.notMatch(createRefusedRequestPage({ names: () => [], text: () => '' })(errorResponse).html, 'stylesheet');
});
