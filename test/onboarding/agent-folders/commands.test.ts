/** `vp connect`, `vp disconnect` and `vp agent-token rotate --folder` against a real control plane. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';
import { startTestControlPlane } from '../../commands/test-control-plane.ts';
import { createWorkspace } from '../../commands/test-workspace.ts';

async function startFoldersFixture(t: Test) {
  const files = createWorkspace(t, 'http://127.0.0.1:1');
  const { vp, url, registerInstance: register, stop } = await startTestControlPlane(t, files);
  await register('shop');
  const root = realpathSync(files.folder);
  const folder = (name: string): string => join(root, name);
  mkdirSync(folder('tests'));
  const tokenIn = (name: string): string => {
    const { mcpServers } = JSON.parse(readFileSync(join(folder(name), '.mcp.json'), 'utf8'));
    return mcpServers['vp-shop'].headers.Authorization.slice('Bearer '.length);
  };
  const isTokenAccepted = async (token: string): Promise<boolean> =>
    (await fetch(`${url}/api/v1/agent`, { headers: { authorization: `Bearer ${token}` } })).ok;
  return { vp, folder, tokenIn, isKnown: isTokenAccepted, stop };
}

const both = ['--test-dir', 'tests', '--product-dir', 'product'];

t.test('two folders get valid tokens, which disconnecting revokes', async (t) => {
  const { vp, folder, tokenIn, isKnown: isTokenAccepted } = await startFoldersFixture(t);
  const dry = await vp(['connect', ...both, '--dry-run']);
  t.match(dry, { code: 0, stdout: /nothing was changed/ });
  t.notOk(existsSync(folder('tests/.mcp.json')));
  const connected = await vp(['connect', '--instance', 'shop', ...both, '--json']);
  t.equal(connected.code, 0, connected.stderr);
  const changes: { readonly file: string }[] = JSON.parse(connected.stdout).changes;
  // A `.gitignore` is written only where no folder above ignores the files, which depends on the checkout.
  t.equal(changes.filter(({ file }) => basename(file) !== '.gitignore').length, 6);
  const tokens = [tokenIn('tests'), tokenIn('product')];
  t.match(tokens, [/^vpr_shop_test_/, /^vpr_shop_product_/]);
  for (const token of tokens) {
    t.ok(await isTokenAccepted(token));
    t.notOk(connected.stdout.includes(token), 'no token is shown');
  }
  t.equal((await vp(['connect', ...both])).code, 0);
  for (const token of tokens) t.notOk(await isTokenAccepted(token), 'the token before has ended');
  const before = tokenIn('tests');
  t.equal((await vp(['agent-token', 'rotate', 'shop', '--folder', 'tests'])).code, 0);
  t.not(tokenIn('tests'), before);
  t.ok(await isTokenAccepted(tokenIn('tests')));
  const last = tokenIn('tests');
  t.match(await vp(['disconnect', '--instance', 'shop', ...both]), { code: 0, stdout: /disconnected/ });
  t.notOk(await isTokenAccepted(last));
  t.notOk(existsSync(folder('tests/.mcp.json')));
  t.match(await vp(['disconnect', '--instance', 'shop', ...both]), { code: 2, stderr: /FOLDER_NOT_CONNECTED/ });
});

t.test('a file that others may read is reported with the command that fixes it', async (t) => {
  const { vp, folder } = await startFoldersFixture(t);
  const file = folder('tests/.mcp.json');
  writeFileSync(file, '{}\n', { mode: 0o644 });
  chmodSync(file, 0o644);
  const connected = await vp(['connect', '--test-dir', 'tests']);
  t.match(connected, { code: 0, stderr: /others on this machine may read .*FOLDER_TOKEN_READABLE[\s\S]*chmod 600/ });
  const rotated = await vp(['agent-token', 'rotate', 'shop', '--folder', 'tests', '--json']);
  t.match(JSON.parse(rotated.stdout), {
    warnings: [{ code: 'FOLDER_TOKEN_READABLE', cure: `run \`chmod 600 ${file}\`` }],
  });
  chmodSync(file, 0o600);
  t.match(await vp(['connect', '--test-dir', 'tests']), { code: 0, stderr: '' });
});

t.test('a .env that git would add is told when its folder is connected', async (t) => {
  const { vp, folder } = await startFoldersFixture(t);
  execFileSync('git', ['init', '--quiet', folder('product')]);
  const connected = await vp(['connect', '--product-dir', 'product']);
  t.match(connected, { code: 0, stderr: /git would add .*\.env, which holds secrets.*CONFIG_ENV_UNIGNORED/ });
  writeFileSync(folder('product/.gitignore'), '.env\n', { flag: 'a' });
  t.match(await vp(['connect', '--product-dir', 'product']), { code: 0, stderr: '' });
});

t.test('nothing is changed if anything is wrong', async (t) => {
  const { vp, folder } = await startFoldersFixture(t);
  mkdirSync(folder('product/inside'));
  for (const [args, code] of [
    [['--test-dir', 'product', '--product-dir', 'product'], 'FOLDERS_NOT_APART'],
    [['--test-dir', 'product/inside', '--product-dir', 'product'], 'FOLDERS_NOT_APART'],
    [['--test-dir', 'nowhere'], 'FOLDER_ABSENT'],
    [[], 'FLAG_INVALID'],
    [['--test-dir', 'tests', '--router', 'ftp://a'], 'FLAG_INVALID'],
    [['--instance', 'other', '--test-dir', 'tests'], 'INSTANCE_UNKNOWN'],
  ] as const) {
    t.match(await vp(['connect', ...args]), { code: 2, stderr: new RegExp(code) }, code);
  }
  writeFileSync(folder('product/.mcp.json'), '{"mcpServers": ');
  t.match(await vp(['connect', ...both]), { code: 2, stderr: /FOLDER_FILE_BROKEN/ });
  t.notOk(existsSync(folder('tests/.mcp.json')), 'neither of the two');
  t.match(await vp(['agent-token', 'list', 'shop', '--json']), { code: 0, stdout: /\[\]/ });
});

t.test('without the control plane the folders are disconnected, and the valid token is named', async (t) => {
  const { vp, folder, stop } = await startFoldersFixture(t);
  t.equal((await vp(['connect', '--instance', 'shop', ...both])).code, 0);
  await stop();
  const ended = await vp(['disconnect', '--instance', 'shop', ...both]);
  t.match(ended, { code: 1, stdout: /the token of .*tests is still valid: the control plane at/ });
  t.notOk(existsSync(folder('tests/.mcp.json')));
});
