/** What `vp serve` prints about its registry, with and without --json. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createWorkspace } from '../test-workspace.ts';

async function startAndReadOutput(t: Test, ...more: string[]): Promise<string> {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:1');
  const serve = testWorkspace.start(['serve', '--port', '0', '--data', join(testWorkspace.folder, 'data'), ...more]);
  await eventually(() => serve.written.stdout, { until: (text) => /Ctrl-C|^\{.*\n/.test(text) });
  const { url = '' } = /(?<url>http:\/\/127\.0\.0\.1:\d+)/.exec(serve.written.stdout)?.groups ?? {};
  t.equal((await fetch(`${url}/v0/servers`)).status, 200, 'it answers there');
  serve.interrupt();
  t.equal(await serve.ended, 0);
  return serve.written.stdout;
}

t.test('with --registry-domain it prints the URL, the domains and the next step', async (t) => {
  const named = ['--registry-domain', 'example.com', '--registry-domain', 'Example.net'];
  const output = await startAndReadOutput(t, ...named);
  t.match(
    output,
    /\n {2}registry {3}http:\/\/127\.0\.0\.1:\d+\/v0\/servers accepts servers of example\.com, example\.net; start with `vp registry create hub --url https:\/\/<host> --domain example\.com`\n/,
  );
  const publicOutput = await startAndReadOutput(t, ...named, '--public-url', 'https://vp.example.com');
  t.match(publicOutput, 'https://vp.example.com/v0/servers accepts');
  t.match(publicOutput, '`vp registry create hub --url https://vp.example.com --domain example.com`');
});

t.test('with --json it is a member; without a domain nothing is printed', async (t) => {
  const { registry, url } = JSON.parse(await startAndReadOutput(t, '--json', '--registry-domain', 'example.com'));
  t.same(registry, { servers_url: `${url}/v0/servers`, domains: ['example.com'] });
  t.equal(JSON.parse(await startAndReadOutput(t, '--json')).registry, null);
  t.notMatch(await startAndReadOutput(t), /^ +registry /m);
});
