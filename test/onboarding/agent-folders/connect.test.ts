import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { toVpError } from '../../../src/errors/vp-error.ts';
import { connectFolder, planConnection } from '../../../src/onboarding/agent-folders/connect.ts';
import { findFolderConnection, planDisconnection } from '../../../src/onboarding/agent-folders/disconnect.ts';
import { buildGuide, isUnchangedGuide } from '../../../src/onboarding/agent-folders/guide.ts';
import { assertSeparateFolders } from '../../../src/onboarding/agent-folders/separate-folders.ts';
import { createAgentFolder, createConnection, createToken } from './folder.ts';

const git = (folder: string, ...args: string[]): string => {
  const own = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', ['-C', folder, ...own, ...args], { encoding: 'utf8' });
};

t.test('the folders of two agents must be separate', async (t) => {
  const { root, folder } = createAgentFolder(t);
  const [product, innerFolder] = [join(root, 'product'), join(folder, 'inside')];
  mkdirSync(innerFolder);
  symlinkSync(folder, join(root, 'link'));
  symlinkSync(innerFolder, join(product, 'way'));
  await assertSeparateFolders(folder, product);
  for (const [firstPath, other] of [
    [folder, folder],
    [folder, `${folder}/../agent/`],
    [folder, join(root, 'link')],
    [folder, innerFolder],
    [innerFolder, folder],
    [root, product],
    [folder, join(product, 'way')],
  ] as const) {
    await t.rejects(assertSeparateFolders(firstPath, other), { code: 'FOLDERS_NOT_APART' }, `${firstPath} ${other}`);
  }
  writeFileSync(join(root, 'file'), '');
  for (const none of ['nowhere', 'file']) {
    await t.rejects(assertSeparateFolders(folder, join(root, none)), { code: 'FOLDER_ABSENT' });
  }
});

t.test('in a repository the files are ignored before the token is written', async (t) => {
  const { connect, disconnect, folder, has, read } = createAgentFolder(t);
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

t.test('existing ignore lines suffice, and added ones are removed even after other changes', async (t) => {
  const { connect, disconnect, root, folder, has, read } = createAgentFolder(t);
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
  const { connect, folder, read, has } = createAgentFolder(t, '{}');
  git(folder, 'init', '-q');
  git(folder, 'add', '.mcp.json');
  await t.rejects(connect(), {
    code: 'FOLDER_TOKEN_TRACKED',
    cure: /`git -C \S+ rm --cached \.mcp\.json`.*agent-token rotate/,
  });
  t.equal(read(), '{}');
  t.notOk(has('.claude'));
  const { cure } = await connect().then(() => assert.fail('connected'), toVpError);
  execFileSync('bash', ['-c', /`(git [^`]+)`/.exec(cure)?.[1] ?? 'false'], { cwd: '/' });
  await connect();
});

t.test('a link into a repository gets no token', async (t) => {
  const { connect, root, file, read } = createAgentFolder(t);
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
  t.equal(read('.gitignore'), '/.mcp.json\n/.claude/settings.local.json\n', 'the link itself too');
});

t.test('a folder that becomes a repository later keeps its token out of it', async (t) => {
  const { connect, disconnect, folder, has, read } = createAgentFolder(t);
  await connect();
  await connect();
  t.equal(read('.gitignore'), '/.mcp.json\n/.claude/settings.local.json\n', 'once');
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  t.same(git(folder, 'ls-files').trim().split('\n'), ['.gitignore', 'vp-test-agent.md']);
  await disconnect();
  t.notOk(has('.gitignore'));
});

t.test('a plan lists the changes and changes nothing', async (t) => {
  const { connect, folder, context, has, root } = createAgentFolder(t, '{}');
  const target = { folder, role: 'test', instance: 'shop', routerUrl: 'http://127.0.0.1:9765/mcp' } as const;
  const plan = await planConnection(target, context);
  t.same(
    plan.map(({ file, change }) => [file.slice(folder.length + 1), change]),
    [
      ['.gitignore', 'created'],
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
    'the ignore lines are there',
  );
  const { changes, connection } = await planDisconnection(folder, 'shop', context);
  t.same(
    changes.map(({ change }) => change),
    ['changed', 'removed', 'removed', 'removed'],
  );
  t.match(connection, { role: 'test', agent_token_id: 'one' });
  t.ok(has('vp-test-agent.md'));
  await t.rejects(planConnection({ ...target, folder: join(root, 'nowhere') }, context), { code: 'FOLDER_ABSENT' });
});

t.test('the record of a folder contains no token', async (t) => {
  const { connect, folder, context } = createAgentFolder(t);
  await connect();
  const record = JSON.stringify(await findFolderConnection(folder, 'shop', context));
  t.match(record, 'agent_token_id');
  t.notMatch(record, createToken('shop').slice(-43));
});

t.test('after a kill at any file, connecting again and disconnecting leaves the folder as it was', async (t) => {
  for (const mcp of [undefined, '{ "mcpServers": {} }\n']) {
    let writes = 1;
    for (let isComplete = false; !isComplete; writes += 1) {
      const { connect, disconnect, folder, context } = createAgentFolder(t, mcp);
      const list = () => readdirSync(folder, { recursive: true }).sort();
      const before = list();
      let left = writes;
      // Each file that is written gets a temporary name first.
      const token = (bytes: number) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        return systemRandom.token(bytes);
      };
      isComplete = await connectFolder(createConnection(folder), { ...context, random: { token } }).then(
        () => true,
        () => false,
      );
      await connect('shop', { token: createToken('shop', 'b'), agentTokenId: 'two' });
      await disconnect();
      t.same(list(), before, `${writes} writes`);
    }
    t.ok(writes > 5);
  }
});

t.test('connecting again updates the entry and keeps other members', async (t) => {
  const { connect, disconnect, read } = createAgentFolder(
    t,
    '{"mcpServers": {"vp-shop": {"url": "http://127.0.0.1:1/mcp", "timeout": 5, "headers": {"X": "y", "Authorization": "Bearer vpr_old"}}}}',
  );
  await connect();
  t.same(JSON.parse(read()).mcpServers['vp-shop'], {
    url: 'http://127.0.0.1:9765/mcp',
    timeout: 5,
    headers: { X: 'y', Authorization: `Bearer ${createToken('shop')}` },
  });
  await disconnect();
  t.same(JSON.parse(read()), { mcpServers: {} });
});

t.test('an edited guide is neither replaced nor removed', async (t) => {
  const { connect, disconnect, folder, read, has } = createAgentFolder(t);
  t.ok(isUnchangedGuide(buildGuide('test')));
  t.ok(isUnchangedGuide(buildGuide('product')));
  t.notOk(isUnchangedGuide(`${buildGuide('test')}more`));
  t.notOk(isUnchangedGuide('# Mine'));
  writeFileSync(join(folder, 'vp-test-agent.md'), '# Mine');
  await connect();
  t.equal(read('vp-test-agent.md'), '# Mine');
  await disconnect();
  t.ok(has('vp-test-agent.md'));
});
