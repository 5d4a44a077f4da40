/** `vp hubs …` and `vp tokens …`, on a real control plane. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { defaultUpstreamSettings } from '../../../src/assemble/control-plane/upstream-settings.ts';
import { eventually } from '../../eventually.ts';
import { createReferenceServer } from '../../hub/fixtures/reference-server.ts';
import { startTestServer } from '../../hub/fixtures/test-server.ts';
import { startSignedIn } from './signed-in-workspace.ts';

const tokenIn = (text: string): string => /vph_\w+/.exec(text)?.[0] ?? '';
const idIn = (text: string): string => /, id (\w+)/.exec(text)?.[1] ?? '';

t.test('a hub is created, listed, renamed, and removed after a confirmation', async (t) => {
  const { vp, createHub, json } = await startSignedIn(t);
  t.match(await vp(['hubs']), { code: 0, stdout: /not a member of a hub; create one with `vp hubs create/ });
  t.match(await createHub(), {
    code: 0,
    stdout: /acme is created[\s\S]*vp hubs connect acme[\s\S]*vp tokens create ci --hub acme/,
  });
  t.match(await vp(['hubs']), {
    code: 0,
    stdout: /^HUB +ROLE +NAME +MEMBERS +CONNECTIONS\nacme +owner +Acme tools +1 +0\n$/,
  });
  t.match(await json('hubs', 'rename', 'acme', '--slug', 'tools'), { hub: { slug: 'tools', name: 'Acme tools' } });
  t.match(await vp(['hubs', 'rename', 'tools']), { code: 2, stderr: /--slug <slug> or --name <name>/ });
  t.match(await vp(['hubs', 'create', 'mcp']), { code: 2, stderr: /is reserved \(HUB_SLUG_INVALID/ });
  t.match(await vp(['hubs', 'remove', 'tools']), { code: 2, stderr: /HUB_REMOVAL_UNCONFIRMED/ });
  t.match(await vp(['hubs', 'remove', 'tools', '--yes']), { code: 0, stdout: 'hub tools is removed\n' });
  t.match(await vp(['hubs', 'members', 'tools']), { code: 2, stderr: /HUB_UNKNOWN/ });
});

t.test('people are added by email, change roles, and leave', async (t) => {
  const { vp, createHub, json } = await startSignedIn(t);
  await createHub();
  t.match(await vp(['hubs', 'members', 'acme']), { stdout: /Ana +ana@example.com +owner/ });
  t.match(await json('hubs', 'add', 'acme', 'ANA@example.com', '--role', 'owner'), { member: { role: 'owner' } });
  t.match(await vp(['hubs', 'add', 'acme', 'nobody@example.com']), {
    code: 2,
    stderr: /id or email address nobody@example\.com[\s\S]*Settings → People/,
  });
  t.match(await vp(['hubs', 'leave', 'acme']), { code: 2, stderr: /HUB_OWNER_LAST/ });
  t.match(await vp(['hubs', 'expel', 'acme', 'ana@example.com']), { code: 2, stderr: /HUB_OWNER_LAST/ });
});

t.test('tool servers are connected without a secret on the command line', async (t) => {
  const { testWorkspace, vp, createHub, json } = await startSignedIn(t);
  await createHub();
  const url = 'https://tools.example.com/mcp';
  t.match(await vp(['hubs', 'connections', 'acme']), {
    stdout: /no connections; create one with `vp hubs connect acme/,
  });
  t.match(await vp(['hubs', 'connect', 'acme', 'search', url, '--no-probe']), {
    code: 0,
    stdout: /called search__<tool>\n! its server was not called\nnext: `vp hubs probe acme search/,
  });
  t.match(await json('hubs', 'change', 'acme', 'search', '--protocol', 'older'), { connection: { protocol: 'older' } });
  t.match(await vp(['hubs', 'change', 'acme', 'search', '--protocol', 'oldest']), { code: 2, stderr: /auto, newest/ });
  t.match(await vp(['hubs', 'connect', 'acme', 'crm', url, '--header', 'X-Key']), {
    code: 2,
    stderr: /VP_CONNECTION_SECRET/,
  });
  const file = join(testWorkspace.folder, 'crm.key');
  writeFileSync(file, 'secret-4711\n');
  chmodSync(file, 0o600);
  const header = ['--no-probe', '--header', 'X-Key'];
  const withFile = await json('hubs', 'connect', 'acme', 'crm', url, ...header, '--secret-file', 'crm.key');
  t.match(withFile, { probe: null, connection: { credential: { kind: 'header', header: 'X-Key' } } });
  const byVariable = ['hubs', 'connect', 'acme', 'old', url, '--sse', ...header];
  t.match(await vp(byVariable, { VP_CONNECTION_SECRET: 'secret-4712' }), { code: 0 });
  t.match(await vp(['hubs', 'connect', 'acme', 'mail', url, '--oauth', 'per_user']), { code: 0 });
  t.match(await vp(['hubs', 'connect', 'acme', 'sh', 'sh', '--stdio']), { code: 2, stderr: /CONNECTION_INVALID/ });
  t.match(await vp(['hubs', 'connect', 'acme', 'in', 'https://10.0.0.1/']), {
    code: 2,
    stderr: /private[\s\S]*CONNECTION_URL_REFUSED/,
  });
  const listed = (await vp(['hubs', 'connections', 'acme'])).stdout;
  t.match(listed, /crm +http +not tried yet +https:\S+ +header[\s\S]*mail +http[\s\S]*old +sse[\s\S]*search +http/);
  t.notMatch(listed, 'secret-');
  t.match(await vp(['hubs', 'disconnect', 'acme', 'crm']), { code: 0, stdout: 'crm is disconnected from acme\n' });
  t.match(await vp(['hubs', 'disconnect', 'acme', 'crm']), { code: 2, stderr: /CONNECTION_UNKNOWN/ });
});

t.test('connections are changed, and their secrets come from a file or standard input alone', async (t) => {
  const { testWorkspace, vp, createHub, json, vpWithInput } = await startSignedIn(t);
  await createHub();
  const url = 'https://tools.example.com/mcp';
  const file = join(testWorkspace.folder, 'client.secret');
  writeFileSync(file, 'secret-4713\n');
  chmodSync(file, 0o600);
  const client = ['--oauth', 'shared', '--client-id', 'vp-of-acme', '--scope', 'tools.read'];
  const mail = ['hubs', 'connect', 'acme', 'mail', url, ...client];
  t.match(await json(...mail, '--secret-file', 'client.secret'), {
    connection: {
      credential: { kind: 'oauth', client_id: 'vp-of-acme', has_client_secret: true, scope: 'tools.read' },
    },
  });
  const header = ['--header', 'X-Key', '--secret-file', '-'];
  const { stdout } = await vpWithInput('secret-4714\n', ['hubs', 'change', 'acme', 'mail', ...header, '--json']);
  t.match(JSON.parse(stdout), { connection: { credential: { kind: 'header', header: 'X-Key' } } });
  t.match(await vp(['hubs', 'change', 'acme', 'mail', '--name', 'post']), {
    code: 0,
    stdout: 'post of acme is changed; its tools are called post__<tool>\n',
  });
  t.match(await vp(['hubs', 'change', 'acme', 'post', '--no-enabled']), { stdout: /its tools are not offered/ });
  t.match(await json('hubs', 'change', 'acme', 'post', '--enabled', '--without-credential'), {
    connection: { name: 'post', enabled: true, credential: { kind: 'none' } },
  });
  t.match(await vp(['hubs', 'change', 'acme', 'post']), { code: 2, stderr: /FLAG_INVALID/ });
  for (const wrong of [
    ['--oauth', 'shared', '--client-id', 'x', '--secret-file', 'missing'],
    ['--client-id', 'x'],
    ['--scope', 'x'],
    ['--secret-file', 'client.secret'],
    ['--header', 'X-Key', '--oauth', 'shared'],
  ])
    t.match(await vp(['hubs', 'change', 'acme', 'post', ...wrong]), { code: 2, stderr: /FLAG_INVALID/ });
  t.match(await vp(['hubs', 'connect', 'acme', 'notes', '--memory', url]), {
    code: 2,
    stderr: /COMMAND_WORD_UNEXPECTED/,
  });
  t.match(await vp(['hubs', 'connect', 'acme', 'notes']), { code: 2, stderr: /COMMAND_WORD_MISSING/ });
  t.match(await json('hubs', 'connect', 'acme', 'notes', '--memory'), { connection: { kind: 'memory', url: null } });
  t.match(await vp(['hubs', 'sign-in', 'acme', 'notes']), { code: 2, stderr: /CONNECTION_SIGN_IN_NONE/ });
});

t.test('the command waits for the sign-in in the browser', async (t) => {
  const { plane, vp, createHub, start } = await startSignedIn(t);
  await createHub();
  await vp(['hubs', 'connect', 'acme', 'mail', 'https://tools.example.com/mcp', '--oauth', 'per_user']);
  const waiting = start(['hubs', 'sign-in', 'acme', 'mail']);
  await eventually(() => waiting.written.stdout, { until: (text) => text.includes('\n  http') });
  t.match(waiting.written.stdout, `${plane.url}/hubs/acme/connections\n`);
  await vp(['hubs', 'disconnect', 'acme', 'mail']);
  t.equal(await waiting.ended, 2, 'it ends with the connection');
  t.match(waiting.written.stderr, /CONNECTION_UNKNOWN/);
});

t.test('a server is probed before it is connected', async (t) => {
  const { vp, createHub, json } = await startSignedIn(t);
  await createHub();
  await json('hubs', 'connect', 'acme', 'notes', '--memory');
  const probed = await vp(['hubs', 'probe', 'acme', 'notes']);
  t.match(probed, { code: 0, stdout: /^✓ vp-memory \S+ answered in \d+ ms.*\n {2}7 tools, 0 resources, 0 prompts/ });
  t.match(probed.stdout, /TOOL +READ-ONLY +DESCRIPTION\n[\s\S]*recall +yes/);
  const privateAddress = ['hubs', 'probe', 'acme', 'https://127.0.0.1:1/mcp'];
  t.match(await vp(privateAddress), { code: 2, stderr: /CONNECTION_URL_REFUSED/ });
});

t.test('a connection is stored, and its server called: what came of both is said', async (t) => {
  const { vp, createHub, json } = await startSignedIn(t, {
    upstreams: { ...defaultUpstreamSettings, allowPrivate: true },
    hubSettings: { allowPrivateUpstreams: true },
  });
  await createHub();
  const good = await startTestServer(t, createReferenceServer('newest').handle);
  const locked = await startTestServer(t, () => new Response('', { status: 401 }));
  const stored = (name: string) => `${name} is stored in acme; its tools are called ${name}__<tool>\n`;
  const connected = await vp(['hubs', 'connect', 'acme', 'good', good.url]);
  t.match(connected, {
    code: 0,
    stdout: /\n✓ good-newest 1\.0\.0 answered in \d+ ms, .*\n {2}7 tools, 1 resource, 1 prompt/,
  });
  t.ok(connected.stdout.startsWith(stored('good')));
  t.match(connected.stdout, /\nnext: `vp hubs probe acme good.*` lists what it offers\n$/);
  t.match(await json('hubs', 'connect', 'acme', 'again', good.url), {
    connection: { name: 'again', state: 'connected', last_error: null },
    probe: { tools_count: 7, problem: null },
  });
  const away = await vp(['hubs', 'connect', 'acme', 'away', 'http://127.0.0.1:9/mcp']);
  t.match(away, {
    code: 1,
    stdout: /\n✕ away cannot be reached: .*UPSTREAM_UNREACHABLE\)\n {2}.+\nnext: `vp hubs probe acme away/,
  });
  t.ok(away.stdout.startsWith(stored('away')));
  const awayAsJson = await vp(['hubs', 'connect', 'acme', 'away-2', 'http://127.0.0.1:9/mcp', '--json']);
  t.equal(awayAsJson.code, 1);
  t.match(JSON.parse(awayAsJson.stdout), {
    connection: { name: 'away-2', state: 'failing', last_error: /cannot be reached/ },
    probe: { tools_count: 0, problem: { code: 'UPSTREAM_UNREACHABLE', cure: /\w/ } },
  });
  t.match(await vp(['hubs', 'connect', 'acme', 'locked', locked.url]), {
    code: 1,
    stdout: /UPSTREAM_SIGN_IN_NEEDED[\s\S]*\nnext: `vp hubs change acme locked --oauth shared/,
  });
  t.match(await vp(['hubs', 'connect', 'acme', 'mail', locked.url, '--oauth', 'shared']), {
    code: 0,
    stdout: /\n! its server was not called: nobody has signed in there yet\nnext: `vp hubs sign-in acme mail/,
  });
  t.match(await vp(['hubs', 'connect', 'acme', 'good', good.url]), {
    code: 2,
    stdout: '',
    stderr: /CONNECTION_NAME_TAKEN/,
  });
});

t.test('a token is created, listed without its secret, revealed, rotated and revoked', async (t) => {
  const { plane, vp, createHub } = await startSignedIn(t);
  t.match(await vp(['tokens', 'create', 'ci']), { code: 2, stderr: /HUB_NOT_CHOSEN/ });
  await createHub();
  const isAccepted = async (token: string) => (await plane.hub.authenticator.agent(token, '10.0.0.1')).kind === 'in';
  const created = await vp(['tokens', 'create', 'ci', '--expiry', '30 days']);
  t.match(created, { code: 0, stdout: /^token ci of Ana for the hub acme, id \w+; it is valid until/ });
  t.match(created.stdout, `${plane.url}/agent/mcp`);
  const [token, id] = [tokenIn(created.stdout), idIn(created.stdout)];
  t.ok(await isAccepted(token));
  const listed = (await vp(['tokens', 'list'])).stdout;
  t.match(listed, /^ID +NAME +HUB +STATE +PERSON +EXPIRES +LAST USED\n\w+ +ci +acme +active +Ana +\d{4}-\d\d-\d\d +/);
  t.notMatch(listed, 'vph_');
  t.equal(tokenIn((await vp(['tokens', 'reveal', id])).stdout), token);
  const rotated = (await vp(['tokens', 'rotate', id, '--grace', '60'])).stdout;
  t.match(rotated, /the old token is valid until/);
  t.same([await isAccepted(token), await isAccepted(tokenIn(rotated))], [true, true]);
  const rotatedAgain = (await vp(['tokens', 'rotate', id])).stdout;
  t.match(rotatedAgain, /the old token is revoked\n$/);
  t.same(
    [await isAccepted(token), await isAccepted(tokenIn(rotated)), await isAccepted(tokenIn(rotatedAgain))],
    [false, false, true],
  );
  t.match(await vp(['tokens', 'rotate', id, '--grace', '1441']), { code: 2 });
  t.match(await vp(['tokens', 'revoke', id]), { code: 0 });
  t.notOk(await isAccepted(tokenIn(rotatedAgain)));
  for (const action of ['reveal', 'rotate', 'revoke'])
    t.match(await vp(['tokens', action, id]), { code: 2, stderr: /HUB_TOKEN_UNKNOWN/ });
  t.match(await vp(['tokens', 'create', 'x', '--expiry', '31 days']), {
    code: 2,
    stderr: /30 days[\s\S]*No expiration/,
  });
});

t.test('a token is shown again only where the sign-in in the browser is recent', async (t) => {
  const { ana, vp, createHub } = await startSignedIn(t);
  await createHub();
  const id = idIn((await vp(['tokens', 'create', 'ci'])).stdout);
  await ana.api('DELETE', '/session');
  t.match(await vp(['tokens', 'reveal', id]), {
    code: 2,
    stderr: /10 minutes[\s\S]*vp login[\s\S]*SIGN_IN_NOT_RECENT|SIGN_IN_NOT_RECENT[\s\S]*vp login/,
  });
});
