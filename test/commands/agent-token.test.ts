/** `vp agent-token …`, on a real control plane. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createClient } from '../../src/client/client.ts';
import type { AgentTokenCreated } from '../../src/contract/agent-api.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { connectFolder } from '../../src/onboarding/folders/connect.ts';
import { type Plane, plane } from './plane.ts';
import { workspace } from './workspace.ts';

async function withShop(t: Test): Promise<Plane> {
  const there = await plane(t, workspace(t, 'http://127.0.0.1:9'));
  await there.register('shop');
  return there;
}

const tokenIn = (text: string): string => /vpr_\S+/.exec(text)?.[0] ?? '';
const idIn = (text: string): string => /, id (\S+)/.exec(text)?.[1] ?? '';
const selfOf = ({ url }: Plane, token: string) => createClient({ baseUrl: url, token, fetch }).agentTokens.self();

t.test('a token is made, shown once with what to do with it, and listed without its secret', async (t) => {
  const there = await withShop(t);
  t.match(await there.vp(['agent-token', 'list', 'shop']), { code: 0, stdout: /no agent has a token .*make shop/ });
  const { code, stdout } = await there.vp(['agent-token', 'make', 'shop', '--role', 'test', '--name', 'shop-tests']);
  t.equal(code, 0);
  const token = tokenIn(stdout);
  t.match(token, /^vpr_shop_test_[\w-]{43}$/);
  t.equal(stdout.split(token).length, 2, 'no line to paste has the token in it');
  t.match(
    stdout,
    /^token of the test agent of shop \(shop-tests\), id \S+\n[\s\S]*shown this once[\s\S]*`vp-shop` of .mcp.json/,
  );
  t.match(await selfOf(there, token), { instance: 'shop', role: 'test', person: 'owner' });
  const listed = (await there.vp(['agent-token', 'list', 'shop'])).stdout;
  t.match(listed, /^ID +ROLE +NAME +MADE BY +MADE +LAST USED\n\S+ +test +shop-tests +owner +now +now\n$/);
  t.notMatch(listed, 'vpr_');
});

t.test('a token is rotated and ended', async (t) => {
  const there = await withShop(t);
  const made = (await there.vp(['agent-token', 'make', 'shop', '--role', 'product'])).stdout;
  const rotated = (await there.vp(['agent-token', 'rotate', 'shop', idIn(made)])).stdout;
  t.equal(idIn(rotated), idIn(made));
  await t.rejects(selfOf(there, tokenIn(made)), { code: 'CREDENTIAL_INVALID', cure: /vp agent-token make/ });
  t.match(await selfOf(there, tokenIn(rotated)), { role: 'product' });
  t.match(await there.vp(['agent-token', 'end', 'shop', idIn(made)]), { code: 0, stdout: /has ended\n$/ });
  await t.rejects(selfOf(there, tokenIn(rotated)), { code: 'CREDENTIAL_INVALID' });
  for (const what of ['rotate', 'end'])
    t.match(await there.vp(['agent-token', what, 'shop', idIn(made)]), { code: 2, stderr: /AGENT_TOKEN_UNKNOWN/ });
});

t.test('programs get all of it as JSON', async (t) => {
  const there = await withShop(t);
  const json = async (...args: string[]) => JSON.parse((await there.vp(['agent-token', ...args, '--json'])).stdout);
  const { agent_token: row, token } = await json('make', 'shop', '--role', 'test');
  t.match(row, { instance: 'shop', role: 'test', name: null, made_by: 'owner' });
  t.match(await json('list', 'shop'), { agent_tokens: [row] });
  const rotated = await json('rotate', 'shop', row.agent_token_id);
  t.match(rotated, { agent_token: { agent_token_id: row.agent_token_id }, token: /^vpr_shop_test_/ });
  t.not(rotated.token, token);
  t.same(await json('end', 'shop', row.agent_token_id), { ended: row.agent_token_id });
});

t.test('what is missing or unknown is told', async (t) => {
  const there = await withShop(t);
  t.match(await there.vp(['agent-token', 'make', 'shop']), { code: 2, stderr: /--role <role> \(COMMAND_WORD_MISSING/ });
  t.match(await there.vp(['agent-token', 'make', 'shop', '--role', 'owner']), {
    code: 2,
    stderr: /test[\s\S]*product/,
  });
  t.match(await there.vp(['agent-token', 'make', 'shp', '--role', 'test']), {
    code: 2,
    stderr: /there are: shop \(INSTANCE_UNKNOWN/,
  });
  t.match(await there.vp(['agent-token', 'rotate', 'shop']), { code: 2, stderr: /COMMAND_WORD_MISSING/ });
});

t.test('a folder’s token is rotated in place, and nothing of it is shown', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:9');
  const there = await plane(t, here);
  await there.register('shop');
  const made: AgentTokenCreated = JSON.parse(
    (await there.vp(['agent-token', 'make', 'shop', '--role', 'test', '--json'])).stdout,
  );
  const folder = join(here.folder, 'shop-tests');
  mkdirSync(folder);
  const place = { config: here.paths.config, random: systemRandom, variables: {} };
  const { agent_token_id: agentTokenId } = made.agent_token;
  const routerUrl = 'http://127.0.0.1:9765/mcp';
  const asked = { folder, role: 'test', instance: 'shop', routerUrl, controlPlane: there.url, agentTokenId } as const;
  await connectFolder({ ...asked, token: made.token }, place);
  const file = join(folder, '.mcp.json');
  const before = readFileSync(file, 'utf8');
  const rotated = await there.vp(['agent-token', 'rotate', 'shop', '--folder', 'shop-tests']);
  t.match(rotated, { code: 0, stdout: `the test agent of shop has a new token in ${folder}; the old one has ended\n` });
  const token = tokenIn(readFileSync(file, 'utf8')).replace(/"$/, '');
  t.equal(readFileSync(file, 'utf8').replace(token, made.token), before);
  t.match(await selfOf(there, token), { agent_token_id: agentTokenId });
  await t.rejects(selfOf(there, made.token), { code: 'CREDENTIAL_INVALID' });

  writeFileSync(file, 'no JSON');
  const shown = await there.vp(['agent-token', 'rotate', 'shop', '--folder', 'shop-tests']);
  t.match(shown, { code: 2, stdout: /shown this once/, stderr: /FOLDER_FILE_BROKEN/ });
  t.match(await selfOf(there, tokenIn(shown.stdout)), { instance: 'shop' }, 'a token that cannot be kept is not lost');
  t.match(await there.vp(['agent-token', 'rotate', 'other', '--folder', 'shop-tests']), {
    code: 2,
    stderr: /FOLDER_NOT_CONNECTED/,
  });
});
