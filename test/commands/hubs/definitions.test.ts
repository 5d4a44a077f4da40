/** `vp hubs tools` and `vp hubs approve`: what waits is shown, and only what was shown is approved. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t from 'tap';
import { defaultUpstreamSettings } from '../../../src/assemble/control-plane/upstream-settings.ts';
import { writeCredential } from '../../../src/commands/control-plane/credentials.ts';
import { eventually } from '../../eventually.ts';
import { createReferenceServer } from '../../hub/fixtures/reference-server.ts';
import { startTestServer } from '../../hub/fixtures/test-server.ts';
import {
  buildAuthorization,
  obtainCode,
  redeemCode,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';
import { createWorkspace } from '../test-workspace.ts';
import { startSignedIn } from './signed-in-workspace.ts';

t.test('definitions are listed, and a changed one is approved by the digest that was shown', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const upstreams = { ...defaultUpstreamSettings, allowPrivate: true };
  const plane = await startOAuthControlPlane(t, {
    folder: join(workspace.folder, 'plane'),
    upstreams,
    hubSettings: { allowPrivateUpstreams: true },
  });
  const request = buildAuthorization(plane);
  const code = await obtainCode(await signInFirstOwner(plane), request.url);
  const { body: tokens } = await redeemCode(plane, code, request);
  writeCredential(workspace.paths, plane.url, tokens.access_token ?? '');
  const vp = (...args: string[]) => workspace.vp(args, { variables: { VP_CONTROL_PLANE: plane.url } });
  const reference = createReferenceServer('older');
  const upstream = await startTestServer(t, reference.handle);
  await vp('hubs', 'create', 'acme', '--name', 'Acme');
  t.match(await vp('hubs', 'tools', 'acme'), {
    code: 0,
    stdout: /^acme has no enabled connection; connect a server with `vp hubs connect acme <name> <url> /,
  });
  t.match(await vp('hubs', 'connect', 'acme', 'good', upstream.url, '--no-probe'), { code: 0 });
  t.match(await vp('hubs', 'tools', 'acme'), {
    code: 0,
    stdout: /^no server of acme has listed anything yet; .*vp hubs probe acme good /,
  });
  const { stdout } = await vp('tokens', 'create', 'ci', '--hub', 'acme');
  const [token = ''] = /vph_\w+/.exec(stdout) ?? [];
  const client = new Client({ name: 'test', version: '1' });
  t.teardown(() => client.close());
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${plane.url}/agent/mcp`), { requestInit }));
  await client.listTools();
  await client.listPrompts();
  t.match(await vp('hubs', 'tools', 'acme', '--kind', 'prompt'), { stdout: /good +prompt +greet +approved/ });
  t.match(await vp('hubs', 'tools', 'acme', '--held'), { stdout: 'nothing waits for an approval\n' });
  t.match(await vp('hubs', 'approve', 'acme', 'good', 'echo'), {
    code: 0,
    stdout: 'echo is approved, nothing waits\n',
  });
  t.match(await vp('hubs', 'approve', 'acme', 'good', 'other'), { code: 2, stderr: /TOOL_PIN_UNKNOWN/ });
  reference.descriptions.echo = 'Sends\u200b everything.';
  reference.toolsChanged();
  await eventually(async () => {
    await client.listTools(undefined, { cacheMode: 'bypass' });
    return /echo/.test((await vp('hubs', 'tools', 'acme', '--held')).stdout);
  });
  const held = await vp('hubs', 'tools', 'acme', '--held');
  t.match(held.stdout.replaceAll(/\s+/g, ' '), /echo held it changed since it was approved/);
  const review = await vp('hubs', 'approve', 'acme', 'good', 'echo');
  t.match(review.stdout, /- description: The tool echo\n\+ description: Sends⟦U\+200B⟧ everything\./);
  t.match(review.stdout, /! marked characters: U\+200B ×1/);
  const [, digest = ''] = /vp hubs approve acme good echo --digest (\S+)/.exec(review.stdout) ?? [];
  t.match(await vp('hubs', 'approve', 'acme', 'good', 'echo', '--digest', 'x'), {
    code: 2,
    stderr: /TOOL_PIN_CHANGED/,
  });
  t.match(await vp('hubs', 'approve', 'acme', 'good', 'echo', '--digest', digest), { stdout: 'echo is approved\n' });
  t.match(await vp('hubs', 'tools', 'acme', '--held'), { stdout: 'nothing waits for an approval\n' });
});

t.test('a probe of a connection refreshes its definitions, and says what waits for an owner', async (t) => {
  const { vp, json, createHub, ana } = await startSignedIn(t, {
    upstreams: { ...defaultUpstreamSettings, allowPrivate: true },
    hubSettings: { allowPrivateUpstreams: true },
  });
  const reference = createReferenceServer('newest');
  const upstream = await startTestServer(t, reference.handle);
  await createHub();
  t.match(await vp(['hubs', 'connect', 'acme', 'good', upstream.url, '--no-probe']), { code: 0 });
  t.match(await vp(['hubs', 'probe', 'acme', upstream.url]), { code: 0 });
  t.match(await vp(['hubs', 'tools', 'acme']), { stdout: /^no server of acme has listed anything yet/ }, 'a URL');
  const probed = await vp(['hubs', 'probe', 'acme', 'good']);
  t.match(probed, { code: 0, stdout: /7 tools, 1 resource, 1 prompt\n/ });
  t.notMatch(probed.stdout, /wait/);
  t.match(await vp(['hubs', 'tools', 'acme']), { stdout: /good +tool +echo +approved/ });
  reference.descriptions.echo = 'Sends everything.';
  t.match(await vp(['hubs', 'probe', 'acme', 'good']), {
    stdout:
      /! 1 definition is new or has changed, and waits for an owner: `vp hubs tools acme --held --control-plane http:\S+`/,
  });
  const [{ connection_id: id }] = (await (await ana.api('GET', '/hubs/acme/connections')).json()).items;
  t.match(await vp(['hubs', 'probe', 'acme', id]), { stdout: /! 1 definition is new or has changed/ }, 'by its id');
  t.match(await vp(['hubs', 'tools', 'acme', '--held']), { stdout: /good +tool +echo +held/ });
  t.match(await json('hubs', 'probe', 'acme', 'good'), { tools_count: 7, problem: null });
  reference.tools.pop();
  await vp(['hubs', 'probe', 'acme', 'good']);
  const left = await vp(['hubs', 'tools', 'acme']);
  t.match(left.stdout.replaceAll(/\s+/g, ' '), /link approved its server no longer lists it/);
});
