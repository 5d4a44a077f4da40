import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { demandApart } from '../../../src/onboarding/folders/apart.ts';
import { planConnection } from '../../../src/onboarding/folders/connect.ts';
import { connectionOf, planDisconnection } from '../../../src/onboarding/folders/disconnect.ts';
import { guideText, isOwnGuide } from '../../../src/onboarding/folders/guide.ts';
import { folders, tokenOf } from './folder.ts';

const git = (folder: string, ...words: string[]): string => {
  const own = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', ['-C', folder, ...own, ...words], { encoding: 'utf8' });
};

t.test('the folders of two agents must be two, and neither inside the other', async (t) => {
  const { root, folder } = folders(t);
  const [product, inside] = [join(root, 'product'), join(folder, 'inside')];
  mkdirSync(inside);
  symlinkSync(folder, join(root, 'link'));
  symlinkSync(inside, join(product, 'way'));
  await demandApart(folder, product);
  for (const [one, other] of [
    [folder, folder],
    [folder, `${folder}/../agent/`],
    [folder, join(root, 'link')],
    [folder, inside],
    [inside, folder],
    [root, product],
    [folder, join(product, 'way')],
  ] as const) {
    await t.rejects(demandApart(one, other), { code: 'FOLDERS_NOT_APART' }, `${one} ${other}`);
  }
  writeFileSync(join(root, 'file'), '');
  for (const none of ['nowhere', 'file']) {
    await t.rejects(demandApart(folder, join(root, none)), { code: 'FOLDER_ABSENT' });
  }
});

t.test('in a repository the files are ignored before the token stands in them', async (t) => {
  const { connect, disconnect, folder, has, read } = folders(t);
  git(folder, 'init', '-q');
  writeFileSync(join(folder, '.gitignore'), 'node_modules');
  await connect();
  t.equal(read('.gitignore'), 'node_modules\n/.mcp.json\n/.claude/settings.local.json\n');
  git(folder, 'add', '-A');
  t.same(git(folder, 'ls-files').trim().split('\n'), ['.gitignore', 'vp-test-agent.md']);
  await connect('bank');
  await disconnect();
  t.match(read('.gitignore'), '.mcp.json', 'the other instance needs it');
  await disconnect('bank');
  t.equal(read('.gitignore'), 'node_modules');
  t.notOk(has('.mcp.json'));
});

t.test('lines that ignore already are enough; those that were added go even when others came', async (t) => {
  const { connect, disconnect, root, folder, has, read } = folders(t);
  git(root, 'init', '-q');
  writeFileSync(join(root, '.gitignore'), '.mcp.json\n*.local.json\n');
  await connect();
  t.notOk(has('.gitignore'));
  await disconnect();
  writeFileSync(join(root, '.gitignore'), '');
  await connect();
  writeFileSync(join(folder, '.gitignore'), `${read('.gitignore')}more\n`);
  await disconnect();
  t.equal(read('.gitignore'), 'more\n');
});

t.test('a file that git tracks gets no token', async (t) => {
  const { connect, folder, read, has } = folders(t, '{}');
  git(folder, 'init', '-q');
  git(folder, 'add', '.mcp.json');
  await t.rejects(connect(), { code: 'FOLDER_TOKEN_TRACKED', cure: /git rm --cached .*\.mcp\.json/ });
  t.equal(read(), '{}');
  t.notOk(has('.claude'));
  git(folder, 'rm', '-q', '--cached', '.mcp.json');
  await connect();
});

t.test('a link into a repository is no way for a token into it', async (t) => {
  const { connect, root, file, folder, has } = folders(t);
  const other = join(root, 'product');
  git(other, 'init', '-q');
  writeFileSync(join(other, 'mcp.json'), '{}');
  git(other, 'add', 'mcp.json');
  symlinkSync(join(other, 'mcp.json'), file);
  await t.rejects(connect(), { code: 'FOLDER_TOKEN_TRACKED' });
  git(other, 'rm', '-q', '--cached', 'mcp.json');
  await connect();
  git(other, 'add', '-A');
  t.notMatch(git(other, 'ls-files').split('\n'), ['mcp.json']);
  t.notOk(has('.gitignore'), `${folder} is in no repository`);
});

t.test('a plan tells what would change and changes nothing', async (t) => {
  const { connect, folder, place, has, root } = folders(t, '{}');
  const asked = { folder, role: 'test', instance: 'shop', routerUrl: 'http://127.0.0.1:9765/mcp' } as const;
  const plan = await planConnection(asked, place);
  t.same(
    plan.map(({ file, change }) => [file.slice(folder.length + 1), change]),
    [
      ['.mcp.json', 'changed'],
      ['.claude/settings.local.json', 'created'],
      ['vp-test-agent.md', 'created'],
    ],
  );
  t.notOk(has('.claude'));
  t.same(await connect(), plan);
  t.same(
    (await connect()).map(({ change }) => change),
    ['kept', 'kept', 'kept'],
  );
  const { changes, connection } = await planDisconnection(folder, 'shop', place);
  t.same(
    changes.map(({ change }) => change),
    ['changed', 'removed', 'removed'],
  );
  t.match(connection, { role: 'test', agent_token_id: 'one' });
  t.ok(has('vp-test-agent.md'));
  await t.rejects(planConnection({ ...asked, folder: join(root, 'nowhere') }, place), { code: 'FOLDER_ABSENT' });
});

t.test('what is remembered of a folder has no token in it', async (t) => {
  const { connect, folder, place } = folders(t);
  await connect();
  const known = JSON.stringify(await connectionOf(folder, 'shop', place));
  t.match(known, 'agent_token_id');
  t.notMatch(known, tokenOf('shop').slice(-43));
});

t.test('connecting again brings the entry up to date and keeps what people added to it', async (t) => {
  const { connect, disconnect, read } = folders(
    t,
    '{"mcpServers": {"vp-shop": {"url": "http://127.0.0.1:1/mcp", "timeout": 5, "headers": {"X": "y", "Authorization": "Bearer vpr_old"}}}}',
  );
  await connect();
  t.same(JSON.parse(read()).mcpServers['vp-shop'], {
    url: 'http://127.0.0.1:9765/mcp',
    timeout: 5,
    headers: { X: 'y', Authorization: `Bearer ${tokenOf('shop')}` },
  });
  await disconnect();
  t.same(JSON.parse(read()), { mcpServers: {} });
});

t.test('a guide that somebody changed is theirs', async (t) => {
  const { connect, disconnect, folder, read, has } = folders(t);
  t.ok(isOwnGuide(guideText('test')));
  t.ok(isOwnGuide(guideText('product')));
  t.notOk(isOwnGuide(`${guideText('test')}more`));
  t.notOk(isOwnGuide('# Mine'));
  writeFileSync(join(folder, 'vp-test-agent.md'), '# Mine');
  await connect();
  t.equal(read('vp-test-agent.md'), '# Mine');
  await disconnect();
  t.ok(has('vp-test-agent.md'));
});
