/** `vp hubs …` and `vp tokens …`, on a real control plane. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { writeCredential } from '../../src/commands/credentials.ts';
import { authorization, codeFor, firstOwner, oauthPlane, redeem } from '../server/oauth-plane.ts';
import { workspace } from './workspace.ts';

/** A control plane with its first owner, whose terminal is signed in. */
async function signedIn(t: Test) {
  const here = workspace(t, 'http://127.0.0.1:9');
  const plane = await oauthPlane(t, { folder: join(here.folder, 'plane') });
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body: tokens } = await redeem(plane, await codeFor(ana, asked.url), asked);
  writeCredential(here.paths, plane.url, tokens.access_token ?? '');
  const vp = (args: readonly string[], variables: Record<string, string> = {}) =>
    here.vp(args, { variables: { VP_CONTROL_PLANE: plane.url, ...variables } });
  const json = async (...args: string[]) => JSON.parse((await vp([...args, '--json'])).stdout);
  const make = async () => vp(['hubs', 'create', 'acme', '--name', 'Acme tools']);
  return { here, plane, ana, vp, json, make };
}

const tokenIn = (text: string): string => /vph_\w+/.exec(text)?.[0] ?? '';
const idIn = (text: string): string => /, id (\w+)/.exec(text)?.[1] ?? '';

t.test('a hub is made, listed, renamed, and removed with a word of confirmation', async (t) => {
  const { vp, make, json } = await signedIn(t);
  t.match(await vp(['hubs']), { code: 0, stdout: /no hub; `vp hubs create/ });
  t.match(await make(), {
    code: 0,
    stdout: /acme is made[\s\S]*vp hubs connect acme[\s\S]*vp tokens create ci --hub acme/,
  });
  t.match(await vp(['hubs']), {
    code: 0,
    stdout: /^HUB +YOU ARE +NAME +MEMBERS +CONNECTIONS\nacme +owner +Acme tools +1 +0\n$/,
  });
  t.match(await json('hubs', 'rename', 'acme', '--slug', 'tools'), { hub: { slug: 'tools', name: 'Acme tools' } });
  t.match(await vp(['hubs', 'rename', 'tools']), { code: 2, stderr: /--slug <slug> or --name <name>/ });
  t.match(await vp(['hubs', 'create', 'mcp']), { code: 2, stderr: /is reserved \(HUB_SLUG_INVALID/ });
  t.match(await vp(['hubs', 'remove', 'tools']), { code: 2, stderr: /HUB_REMOVAL_UNCONFIRMED/ });
  t.match(await vp(['hubs', 'remove', 'tools', '--yes']), { code: 0, stdout: 'the hub tools is removed\n' });
  t.match(await vp(['hubs', 'members', 'tools']), { code: 2, stderr: /HUB_UNKNOWN/ });
});

t.test('people are added by their email, change roles, and leave', async (t) => {
  const { vp, make, json } = await signedIn(t);
  await make();
  t.match(await vp(['hubs', 'members', 'acme']), { stdout: /Ana +ana@example.com +owner/ });
  t.match(await json('hubs', 'add', 'acme', 'ANA@example.com', '--role', 'owner'), { member: { role: 'owner' } });
  t.match(await vp(['hubs', 'add', 'acme', 'nobody@example.com']), { code: 2, stderr: /PERSON_UNKNOWN/ });
  t.match(await vp(['hubs', 'leave', 'acme']), { code: 2, stderr: /HUB_OWNER_LAST/ });
  t.match(await vp(['hubs', 'expel', 'acme', 'ana@example.com']), { code: 2, stderr: /HUB_OWNER_LAST/ });
});

t.test('tool servers are connected without a secret on the command line', async (t) => {
  const { here, vp, make, json } = await signedIn(t);
  await make();
  const url = 'https://tools.example.com/mcp';
  t.match(await vp(['hubs', 'connections', 'acme']), { stdout: /no connections; `vp hubs connect acme/ });
  t.match(await vp(['hubs', 'connect', 'acme', 'search', url]), { code: 0, stdout: /called search__<tool>/ });
  t.match(await vp(['hubs', 'connect', 'acme', 'crm', url, '--header', 'X-Key']), {
    code: 2,
    stderr: /VP_CONNECTION_SECRET/,
  });
  const file = join(here.folder, 'crm.key');
  writeFileSync(file, 'secret-4711\n');
  chmodSync(file, 0o600);
  const withFile = await json('hubs', 'connect', 'acme', 'crm', url, '--header', 'X-Key', '--secret-file', 'crm.key');
  t.match(withFile, { connection: { credential: { kind: 'header', header: 'X-Key' } } });
  const byVariable = ['hubs', 'connect', 'acme', 'old', url, '--sse', '--header', 'X-Key'];
  t.match(await vp(byVariable, { VP_CONNECTION_SECRET: 'secret-4712' }), { code: 0 });
  t.match(await vp(['hubs', 'connect', 'acme', 'mail', url, '--oauth', 'per_user']), { code: 0 });
  t.match(await vp(['hubs', 'connect', 'acme', 'sh', 'sh', '--stdio']), { code: 2, stderr: /CONNECTION_INVALID/ });
  t.match(await vp(['hubs', 'connect', 'acme', 'in', 'https://10.0.0.1/']), {
    code: 2,
    stderr: /private[\s\S]*CONNECTION_URL_REFUSED/,
  });
  const listed = (await vp(['hubs', 'connections', 'acme'])).stdout;
  t.match(listed, /crm +http +untried +https:\S+ +header[\s\S]*mail +http[\s\S]*old +sse[\s\S]*search +http/);
  t.notMatch(listed, 'secret-');
  t.match(await vp(['hubs', 'disconnect', 'acme', 'crm']), { code: 0, stdout: 'crm is disconnected from acme\n' });
  t.match(await vp(['hubs', 'disconnect', 'acme', 'crm']), { code: 2, stderr: /CONNECTION_UNKNOWN/ });
});

t.test('a token is created, listed without its secret, revealed, rotated and revoked', async (t) => {
  const { plane, vp, make } = await signedIn(t);
  t.match(await vp(['tokens', 'create', 'ci']), { code: 2, stderr: /HUB_NOT_CHOSEN/ });
  await make();
  const opens = async (token: string) => (await plane.hub.door.agent(token, '10.0.0.1')).kind === 'in';
  const created = await vp(['tokens', 'create', 'ci', '--expiry', '30 days']);
  t.match(created, { code: 0, stdout: /^token ci of Ana for the hub acme, id \w+; it holds until/ });
  t.match(created.stdout, `${plane.url}/agent/mcp`);
  const [token, id] = [tokenIn(created.stdout), idIn(created.stdout)];
  t.ok(await opens(token));
  const listed = (await vp(['tokens', 'list'])).stdout;
  t.match(listed, /^ID +NAME +HUB +STATE +PERSON +EXPIRES +LAST USED\n\w+ +ci +acme +active +Ana +\d{4}-\d\d-\d\d +/);
  t.notMatch(listed, 'vph_');
  t.equal(tokenIn((await vp(['tokens', 'reveal', id])).stdout), token);
  const rotated = (await vp(['tokens', 'rotate', id, '--grace', '60'])).stdout;
  t.match(rotated, /the old one holds until/);
  t.same([await opens(token), await opens(tokenIn(rotated))], [true, true]);
  const again = (await vp(['tokens', 'rotate', id])).stdout;
  t.match(again, /the old one has ended\n$/);
  t.same([await opens(token), await opens(tokenIn(rotated)), await opens(tokenIn(again))], [false, false, true]);
  t.match(await vp(['tokens', 'rotate', id, '--grace', '1441']), { code: 2 });
  t.match(await vp(['tokens', 'revoke', id]), { code: 0 });
  t.notOk(await opens(tokenIn(again)));
  for (const what of ['reveal', 'rotate', 'revoke'])
    t.match(await vp(['tokens', what, id]), { code: 2, stderr: /HUB_TOKEN_UNKNOWN/ });
  t.match(await vp(['tokens', 'create', 'x', '--expiry', '31 days']), {
    code: 2,
    stderr: /30 days[\s\S]*No expiration/,
  });
});

t.test('a token is shown again only where the sign-in in the browser is recent', async (t) => {
  const { ana, vp, make } = await signedIn(t);
  await make();
  const id = idIn((await vp(['tokens', 'create', 'ci'])).stdout);
  await ana.api('DELETE', '/session');
  t.match(await vp(['tokens', 'reveal', id]), {
    code: 2,
    stderr: /10 minutes[\s\S]*vp login[\s\S]*SIGN_IN_NOT_RECENT|SIGN_IN_NOT_RECENT[\s\S]*vp login/,
  });
});
