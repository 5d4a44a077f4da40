import { chmodSync, linkSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { endPresence, type Presence, presenceFile, readPresence, writePresence } from '../../src/router/presence.ts';
import { baseUrlOf, findExecutor } from '../../src/router/whereabouts.ts';

const shop: Presence = { instance: 'shop', url: 'http://127.0.0.1:8765', pid: 41, state: 'listening' };

t.test('an executor that says where it is is found, and known as stopped when it has ended', async (t) => {
  const paths = { config: t.testdir() };
  const find = findExecutor({ named: new Map(), pattern: undefined, paths });
  t.equal(find('shop'), undefined);
  await writePresence(paths, shop, systemRandom);
  t.same(find('shop'), { kind: 'at', url: 'http://127.0.0.1:8765/mcp' });
  t.equal(statSync(presenceFile(paths, 'shop')).mode & 0o777, 0o600);
  t.equal(find('other'), undefined);
  await endPresence(paths, { instance: 'shop', pid: 40 }, systemRandom);
  t.equal(find('shop')?.kind, 'at', 'another process has taken its place');
  await endPresence(paths, shop, systemRandom);
  t.same(find('shop'), { kind: 'stopped' });
});

t.test('a file that says something else, or that others could have written, is not believed', async (t) => {
  const paths = { config: t.testdir() };
  const file = presenceFile(paths, 'shop');
  mkdirSync(`${paths.config}/executors`);
  const believed = (text: string): boolean => {
    writeFileSync(file, text, { mode: 0o600 });
    return readPresence(paths, 'shop') !== undefined;
  };
  t.ok(believed(JSON.stringify(shop)));
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
    t.notOk(believed(JSON.stringify({ ...shop, ...change })), JSON.stringify(change));
  }
  t.notOk(believed('{'));
  t.notOk(believed(JSON.stringify({ ...shop, more: 'a'.repeat(5000) })));
  t.ok(believed(JSON.stringify(shop)));
  chmodSync(file, 0o644);
  t.equal(readPresence(paths, 'shop'), undefined, 'others may read it');
  chmodSync(file, 0o600);
  renameSync(file, `${file}.real`);
  symlinkSync(`${file}.real`, file);
  t.equal(readPresence(paths, 'shop'), undefined, 'a link');
  linkSync(`${file}.real`, presenceFile(paths, 'bank'));
  t.equal(readPresence(paths, 'bank'), undefined, 'the file of another instance');
});

t.test('what flags name wins over files, the pattern stands in for what neither knows', async (t) => {
  const paths = { config: t.testdir() };
  await writePresence(paths, shop, systemRandom);
  await writePresence(paths, { ...shop, instance: 'bank' }, systemRandom);
  const named = new Map([['shop', 'http://127.0.0.1:9000']]);
  const find = findExecutor({ named, pattern: 'http://platform-inst-{instance}:8765', paths });
  t.same(find('shop'), { kind: 'at', url: 'http://127.0.0.1:9000/mcp' });
  t.same(find('bank'), { kind: 'at', url: 'http://127.0.0.1:8765/mcp' });
  t.same(find('other'), { kind: 'at', url: 'http://platform-inst-other:8765/mcp' });
});

t.test('an address is scheme, host and port', async (t) => {
  for (const text of ['http://a:1', 'http://a:1/', 'http://a:1/mcp', 'http://a:1/mcp/']) {
    t.same(baseUrlOf(text), { url: 'http://a:1' });
  }
  for (const text of ['a:1', 'ftp://a', 'http://u:p@a', 'http://a/x', 'http://a/?q', 'http://a/#f', '']) {
    t.ok('problem' in baseUrlOf(text), text);
  }
  t.notMatch(baseUrlOf('http://user:secret@a/'), { problem: 'secret' });
});
