import { createHash } from 'node:crypto';
import t from 'tap';
import {
  createConsoleHandler,
  createConsolePolicy,
  createUnknownPageResponse,
  isPageRequest,
} from '../../../src/server/console/console-assets.ts';

const texts: Record<string, string> = {
  'dist/console/index.html': '<!doctype html>',
  'dist/console/assets/main-ABC.js': 'run()',
  'dist/console/assets/style-ABC.css': 'a{}',
};
const answer = createConsoleHandler({ names: () => Object.keys(texts), text: (name) => texts[name] ?? '' });
const ask = (path: string, method = 'GET') => answer(new Request(`http://localhost:7700${path}`, { method }));

t.test(
  'every page is the same document, never cached, with a policy that runs scripts of this origin only',
  async (t) => {
    for (const path of [
      '/',
      '/runs/20261120T143012345?tab=request',
      '/instances/a/runs',
      '/settings/people',
      '/sign-in',
    ]) {
      const response = ask(path);
      t.equal(response?.status, 200, path);
      t.equal(response?.headers.get('cache-control'), 'no-store');
      t.equal(response?.headers.get('content-security-policy'), createConsolePolicy('<!doctype html>'));
      t.equal(await response?.text(), '<!doctype html>');
    }
    const policy = createConsolePolicy('<!doctype html>');
    t.match(policy, "script-src 'self';");
    t.notMatch(policy, /unsafe/);
    t.match(policy, /frame-ancestors 'none'/);
  },
);

t.test('a script in the page is allowed by its digest, and no other', async (t) => {
  const text = 'start()';
  const digest = createHash('sha256').update(text).digest('base64');
  const policy = createConsolePolicy(
    `<script data-parts='{}'>${text}</script><script src="/assets/main-ABC.js"></script>`,
  );
  t.match(policy, `script-src 'self' 'sha256-${digest}';`);
  t.notMatch(policy, /unsafe/);
});

t.test('files are cached forever, because their names change with their content', async (t) => {
  const response = ask('/assets/main-ABC.js');
  t.match(response?.headers.get('cache-control'), /immutable/);
  t.match(response?.headers.get('content-type'), /^text\/javascript/);
  t.equal(await response?.text(), 'run()');
  t.match(ask('/assets/style-ABC.css')?.headers.get('content-type'), /^text\/css/);
});

t.test('other paths are not handled', async (t) => {
  for (const path of ['/api/v1/runs', '/healthz', '/metrics', '/assets/gone.js', '/assets/../../etc/passwd', '/mcp']) {
    t.equal(ask(path), undefined, path);
  }
  t.equal(ask('/runs', 'POST'), undefined);
});

t.test('an unknown address is a page for a browser, and stays JSON for a program', async (t) => {
  const request = (accept: string) => new Request('http://localhost:7700/nowhere', { headers: { accept } });
  t.equal(isPageRequest(request('text/html,application/xhtml+xml,*/*;q=0.8')), true);
  for (const accept of ['*/*', 'application/json']) t.equal(isPageRequest(request(accept)), false, accept);
  const page = createUnknownPageResponse({ names: () => Object.keys(texts), text: (name) => texts[name] ?? '' });
  t.equal(page.status, 404);
  t.match(page.headers.get('content-type'), /^text\/html/);
  t.equal(await page.text(), '<!doctype html>');
});

t.test('a HEAD has no body', async (t) => {
  t.equal(await ask('/', 'HEAD')?.text(), '');
  t.equal(await ask('/assets/main-ABC.js', 'HEAD')?.text(), '');
});

t.test('without a build the page explains how to build the console', async (t) => {
  const response = createConsoleHandler({ names: () => [], text: () => '' })(new Request('http://localhost:7700/'));
  t.equal(response?.status, 503);
  t.match(await response?.text(), /node build\.mjs --console/);
});
