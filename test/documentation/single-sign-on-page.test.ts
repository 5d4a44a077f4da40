/** The commands of docs/how-to/single-sign-on.md as they stand there, with a real OpenID provider. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { createWorkspace } from '../commands/test-workspace.ts';
import { eventually } from '../eventually.ts';
import { client, startOpenidProvider } from '../server/identity/openid-provider.ts';
import { listCodeLines, splitWords } from './page-commands.ts';

const lines = listCodeLines(readFileSync('docs/how-to/single-sign-on.md', 'utf8'));
const publicUrl = 'https://vp.example.com';

t.test('the control plane of the page leads to the provider, and says where to return', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const provider = await startOpenidProvider(t, `${publicUrl}/single-sign-on`);
  const [write = '', start = '', ...others] = lines;
  t.same(others, [], 'these are the commands of the page');
  execFileSync('sh', ['-c', write], { cwd: workspace.folder, input: `${client.secret}\n` });
  t.equal(statSync(join(workspace.folder, 'sso.secret')).mode & 0o777, 0o600);

  const words = splitWords(
    start.replace('https://login.example.com', provider.issuer).replace('id vp', `id ${client.id}`),
  );
  const serve = workspace.start([...words.slice(1), '--port', '0', '--data', join(workspace.folder, 'data'), '--json']);
  const output = await eventually(() => serve.written.stdout, { until: (text) => text.includes('\n') });
  const { port } = new URL(JSON.parse(output).local_url ?? JSON.parse(output).url);

  const headers = { host: 'vp.example.com', 'x-forwarded-proto': 'https' };
  const outgoing = request({ host: '127.0.0.1', port, path: '/api/v1/single-sign-on?back=%2F', headers }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  const location = new URL(response.headers.location ?? '', publicUrl);
  t.equal(location.origin, provider.issuer);
  t.equal(location.searchParams.get('redirect_uri'), `${publicUrl}/single-sign-on`);
  t.equal(location.searchParams.get('client_id'), client.id);
  serve.interrupt();
  t.equal(await serve.ended, 0);
});
