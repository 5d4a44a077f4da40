/** `vp agent-token …`, on a real control plane. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createClient } from '../../../src/client/client.ts';
import type { CreateAgentTokenResponse } from '../../../src/contract/agents/agent-api.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { connectFolder } from '../../../src/onboarding/agent-folders/connect.ts';
import { startTestControlPlane, type TestControlPlane } from '../test-control-plane.ts';
import { createWorkspace } from '../test-workspace.ts';

async function startWithShop(t: Test): Promise<TestControlPlane> {
  const controlPlane = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  await controlPlane.registerInstance('shop');
  return controlPlane;
}

const tokenIn = (text: string): string => /vpr_\S+/.exec(text)?.[0] ?? '';
const idIn = (text: string): string => /, id (\S+)/.exec(text)?.[1] ?? '';
const getTokenIdentity = ({ url }: TestControlPlane, token: string) =>
  createClient({ baseUrl: url, token, fetch }).agentTokens.getIdentity();

t.test('a token is created, shown once with instructions, and listed without its secret', async (t) => {
  const controlPlane = await startWithShop(t);
  t.match(await controlPlane.vp(['agent-token', 'list', 'shop']), {
    code: 0,
    stdout: /no agent has a token .*agent-token create shop/,
  });
  const { code, stdout } = await controlPlane.vp([
    'agent-token',
    'create',
    'shop',
    '--role',
    'test',
    '--name',
    'shop-tests',
  ]);
  t.equal(code, 0);
  const token = tokenIn(stdout);
  t.match(token, /^vpr_shop_test_[\w-]{43}$/);
  t.equal(stdout.split(token).length, 2, 'no line to paste has the token in it');
  t.match(
    stdout,
    /^token of the test agent of shop \(shop-tests\), id \S+\n[\s\S]*shown only once[\s\S]*`vp-shop` of .mcp.json/,
  );
  t.match(await getTokenIdentity(controlPlane, token), { instance: 'shop', role: 'test', person: 'owner' });
  const listed = (await controlPlane.vp(['agent-token', 'list', 'shop'])).stdout;
  t.match(
    listed,
    /^ID +ROLE +NAME +MADE BY +MADE +LAST USED\n\S+ +test +shop-tests +owner +(?:now|\d+ s ago) +(?:now|\d+ s ago)\n$/,
  );
  t.notMatch(listed, 'vpr_');
});

t.test('a token is rotated and revoked, also by the names that the commands had before', async (t) => {
  const controlPlane = await startWithShop(t);
  const created = (await controlPlane.vp(['agent-token', 'make', 'shop', '--role', 'product'])).stdout;
  const rotated = (await controlPlane.vp(['agent-token', 'rotate', 'shop', idIn(created)])).stdout;
  t.equal(idIn(rotated), idIn(created));
  await t.rejects(getTokenIdentity(controlPlane, tokenIn(created)), {
    code: 'CREDENTIAL_INVALID',
    cure: /vp agent-token create/,
  });
  t.match(await getTokenIdentity(controlPlane, tokenIn(rotated)), { role: 'product' });
  t.match(await controlPlane.vp(['agent-token', 'end', 'shop', idIn(created)]), { code: 0, stdout: /has ended\n$/ });
  await t.rejects(getTokenIdentity(controlPlane, tokenIn(rotated)), { code: 'CREDENTIAL_INVALID' });
  for (const action of ['rotate', 'end'])
    t.match(await controlPlane.vp(['agent-token', action, 'shop', idIn(created)]), {
      code: 2,
      stderr: /AGENT_TOKEN_UNKNOWN/,
    });
});

t.test('all commands write JSON', async (t) => {
  const controlPlane = await startWithShop(t);
  const json = async (...args: string[]) =>
    JSON.parse((await controlPlane.vp(['agent-token', ...args, '--json'])).stdout);
  const { agent_token: row, token } = await json('make', 'shop', '--role', 'test');
  t.match(row, { instance: 'shop', role: 'test', name: null, made_by: 'owner' });
  t.match(await json('list', 'shop'), { agent_tokens: [row] });
  const rotated = await json('rotate', 'shop', row.agent_token_id);
  t.match(rotated, { agent_token: { agent_token_id: row.agent_token_id }, token: /^vpr_shop_test_/ });
  t.not(rotated.token, token);
  t.same(await json('end', 'shop', row.agent_token_id), { ended: row.agent_token_id });
});

t.test('missing and unknown arguments are reported', async (t) => {
  const controlPlane = await startWithShop(t);
  t.match(await controlPlane.vp(['agent-token', 'make', 'shop']), {
    code: 2,
    stderr: /--role <role> \(COMMAND_WORD_MISSING/,
  });
  t.match(await controlPlane.vp(['agent-token', 'make', 'shop', '--role', 'owner']), {
    code: 2,
    stderr: /test[\s\S]*product/,
  });
  t.match(await controlPlane.vp(['agent-token', 'make', 'shp', '--role', 'test']), {
    code: 2,
    stderr: /there are: shop \(INSTANCE_UNKNOWN/,
  });
  t.match(await controlPlane.vp(['agent-token', 'rotate', 'shop']), { code: 2, stderr: /COMMAND_WORD_MISSING/ });
});

t.test('a folder’s token is rotated in place and not shown', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  const created: CreateAgentTokenResponse = JSON.parse(
    (await controlPlane.vp(['agent-token', 'make', 'shop', '--role', 'test', '--json'])).stdout,
  );
  const folder = join(testWorkspace.folder, 'shop-tests');
  mkdirSync(folder);
  const dependencies = { config: testWorkspace.paths.config, random: systemRandom, variables: {} };
  const { agent_token_id: agentTokenId } = created.agent_token;
  const routerUrl = 'http://127.0.0.1:9765/mcp';
  const connection = {
    folder,
    role: 'test',
    instance: 'shop',
    routerUrl,
    controlPlane: controlPlane.url,
    agentTokenId,
  } as const;
  await connectFolder({ ...connection, token: created.token }, dependencies);
  const file = join(folder, '.mcp.json');
  const before = readFileSync(file, 'utf8');
  const rotated = await controlPlane.vp(['agent-token', 'rotate', 'shop', '--folder', 'shop-tests']);
  t.match(rotated, {
    code: 0,
    stdout: `the test agent of shop has a new token in ${folder}; the old token is revoked\n`,
  });
  const token = tokenIn(readFileSync(file, 'utf8')).replace(/"$/, '');
  t.equal(readFileSync(file, 'utf8').replace(token, created.token), before);
  t.match(await getTokenIdentity(controlPlane, token), { agent_token_id: agentTokenId });
  await t.rejects(getTokenIdentity(controlPlane, created.token), { code: 'CREDENTIAL_INVALID' });

  writeFileSync(file, 'no JSON');
  const printed = await controlPlane.vp(['agent-token', 'rotate', 'shop', '--folder', 'shop-tests']);
  t.match(printed, { code: 2, stdout: /shown only once/, stderr: /FOLDER_FILE_BROKEN/ });
  t.match(
    await getTokenIdentity(controlPlane, tokenIn(printed.stdout)),
    { instance: 'shop' },
    'a token that cannot be kept is not lost',
  );
  t.match(await controlPlane.vp(['agent-token', 'rotate', 'other', '--folder', 'shop-tests']), {
    code: 2,
    stderr: /FOLDER_NOT_CONNECTED/,
  });
});
