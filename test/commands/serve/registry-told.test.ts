/** What `vp serve` says of its registry, with and without --json. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { workspace } from '../workspace.ts';

async function told(t: Test, ...more: string[]): Promise<string> {
  const house = workspace(t, 'http://127.0.0.1:1');
  const serve = house.start(['serve', '--port', '0', '--data', join(house.folder, 'data'), ...more]);
  while (!/Ctrl-C|^\{.*\n/.test(serve.written.stdout)) await new Promise((resolve) => setTimeout(resolve, 10));
  const { url = '' } = /(?<url>http:\/\/127\.0\.0\.1:\d+)/.exec(serve.written.stdout)?.groups ?? {};
  t.equal((await fetch(`${url}/v0/servers`)).status, 200, 'it answers there');
  serve.interrupt();
  t.equal(await serve.ended, 0);
  return serve.written.stdout;
}

t.test(
  'with --registry-domain it says where the registry answers, whose names it takes and what comes next',
  async (t) => {
    const named = ['--registry-domain', 'example.com', '--registry-domain', 'Example.net'];
    const here = await told(t, ...named);
    t.match(
      here,
      /\n {2}registry {3}http:\/\/127\.0\.0\.1:\d+\/v0\/servers takes names of example\.com, example\.net; begin with `vp registry make hub --url https:\/\/<host> --domain example\.com`\n/,
    );
    const open = await told(t, ...named, '--public-url', 'https://vp.example.com');
    t.match(open, 'https://vp.example.com/v0/servers takes');
    t.match(open, '`vp registry make hub --url https://vp.example.com --domain example.com`');
  },
);

t.test('with --json it is a member; without a domain there is nothing to say', async (t) => {
  const { registry, url } = JSON.parse(await told(t, '--json', '--registry-domain', 'example.com'));
  t.same(registry, { servers_url: `${url}/v0/servers`, domains: ['example.com'] });
  t.equal(JSON.parse(await told(t, '--json')).registry, null);
  t.notMatch(await told(t), /^ +registry /m);
});
