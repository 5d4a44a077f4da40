import { chmodSync, linkSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { createExecutorLocator, parseExecutorBaseUrl } from '../../src/router/executor-locator.ts';
import {
  getPresenceFile,
  markExecutorStopped,
  type Presence,
  readPresence,
  writePresence,
} from '../../src/router/presence.ts';

const presence: Presence = { instance: 'shop', url: 'http://127.0.0.1:8765', pid: 41, state: 'listening' };

t.test('a presence file leads to the executor, and marks it as stopped afterwards', async (t) => {
  const paths = { config: t.testdir() };
  const find = createExecutorLocator({ executorUrls: new Map(), urlPattern: undefined, paths });
  t.equal(find('shop'), undefined);
  await writePresence(paths, presence, systemRandom);
  t.same(find('shop'), { kind: 'at', url: 'http://127.0.0.1:8765/mcp' });
  t.equal(statSync(getPresenceFile(paths, 'shop')).mode & 0o777, 0o600);
  t.equal(find('other'), undefined);
  await markExecutorStopped(paths, { instance: 'shop', pid: 40 }, systemRandom);
  t.equal(find('shop')?.kind, 'at', 'another process has taken its place');
  await markExecutorStopped(paths, presence, systemRandom);
  t.same(find('shop'), { kind: 'stopped' });
});

t.test('an invalid presence file, or one that others can write, is ignored', async (t) => {
  const paths = { config: t.testdir() };
  const file = getPresenceFile(paths, 'shop');
  mkdirSync(`${paths.config}/executors`);
  const believed = (text: string): boolean => {
    writeFileSync(file, text, { mode: 0o600 });
    return readPresence(paths, 'shop') !== undefined;
  };
  t.ok(believed(JSON.stringify(presence)));
  for (const change of [
    { url: 'http://10.0.0.1:8765' },
    { url: 'https://127.0.0.1:8765' },
    { url: 'http://127.0.0.1:8765/x' },
    { url: 'http://127.0.0.1@evil.example:80' },
    { url: 'http://localhost.evil.example:80' },
    { instance: 'bank' },
    { pid: 0 },
    { state: 'odd' },
  ]) {
    t.notOk(believed(JSON.stringify({ ...presence, ...change })), JSON.stringify(change));
  }
  t.notOk(believed('{'));
  t.notOk(believed(JSON.stringify({ ...presence, more: 'a'.repeat(5000) })));
  t.ok(believed(JSON.stringify(presence)));
  chmodSync(file, 0o644);
  t.equal(readPresence(paths, 'shop'), undefined, 'others may read it');
  chmodSync(file, 0o600);
  renameSync(file, `${file}.real`);
  symlinkSync(`${file}.real`, file);
  t.equal(readPresence(paths, 'shop'), undefined, 'a link');
  linkSync(`${file}.real`, getPresenceFile(paths, 'bank'));
  t.equal(readPresence(paths, 'bank'), undefined, 'the file of another instance');
});

t.test('flags take precedence over files, and the pattern is used for unknown instances', async (t) => {
  const paths = { config: t.testdir() };
  await writePresence(paths, presence, systemRandom);
  await writePresence(paths, { ...presence, instance: 'bank' }, systemRandom);
  const executorUrls = new Map([['shop', 'http://127.0.0.1:9000']]);
  const find = createExecutorLocator({
    executorUrls: executorUrls,
    urlPattern: 'http://platform-inst-{instance}:8765',
    paths,
  });
  t.same(find('shop'), { kind: 'at', url: 'http://127.0.0.1:9000/mcp' });
  t.same(find('bank'), { kind: 'at', url: 'http://127.0.0.1:8765/mcp' });
  t.same(find('other'), { kind: 'at', url: 'http://platform-inst-other:8765/mcp' });
});

t.test('a base URL is scheme, host and port', async (t) => {
  for (const text of ['http://a:1', 'http://a:1/', 'http://a:1/mcp', 'http://a:1/mcp/']) {
    t.same(parseExecutorBaseUrl(text), { url: 'http://a:1' });
  }
  for (const text of ['a:1', 'ftp://a', 'http://u:p@a', 'http://a/x', 'http://a/?q', 'http://a/#f', '']) {
    t.ok('problem' in parseExecutorBaseUrl(text), text);
  }
  t.notMatch(parseExecutorBaseUrl('http://user:secret@a/'), { problem: 'secret' });
});
