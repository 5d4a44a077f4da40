/** The small commands that onboarding runs in containers. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { json } from '../targets/http-target.ts';
import { plane } from './plane.ts';
import { target, workspace } from './workspace.ts';

const nowhere = 'http://127.0.0.1:1';

t.test('reach tells a control plane from anything else, with a reason', async (t) => {
  const here = workspace(t, nowhere);
  const { url } = await plane(t, here);
  t.match(await here.vp(['reach', url]), { code: 0, stdout: '{"reachable":true}\n' });
  const { origin } = await target(t, json({ count: 3 }));
  for (const [address, reason] of [
    [origin, /no control plane/],
    ['http://127.0.0.1:39', /nothing listens there/],
    ['unix:/nowhere/control.sock', /the socket does not exist/],
    ['nonsense', /no http or https address/],
  ] as const) {
    const { code, stdout } = await here.vp(['reach', address]);
    t.equal(code, 4, address);
    t.match(JSON.parse(stdout), { reachable: false, reason }, address);
  }
});

function given(text: string) {
  return { stdin: Readable.from([text]) };
}

t.test('placed files are private, replace what was there, and are printed nowhere', async (t) => {
  const here = workspace(t, nowhere);
  const to = t.testdir({ 'old.key': 'old', kept: 'before' });
  const files = { 'executor.key': 'vpe_secret', '.env': 'TOKEN=abc\n', kept: 'after' };
  const called = await here.vp(['place-files', '--to', to], given(JSON.stringify(files)));
  t.match(called, { code: 0, stdout: '', stderr: '' });
  t.same(readdirSync(to).sort(), ['.env', 'executor.key', 'kept']);
  for (const [name, text] of Object.entries(files)) {
    t.equal(readFileSync(join(to, name), 'utf8'), text);
    t.equal(statSync(join(to, name)).mode & 0o777, 0o600);
  }
});

t.test('what is no set of plain files is refused whole, and not quoted', async (t) => {
  const here = workspace(t, nowhere);
  const to = t.testdir({ kept: 'before' });
  for (const text of [
    'secret-text',
    '["secret-text"]',
    '{"../up":"secret-text"}',
    '{"a/b":"secret-text"}',
    '{"..":"secret-text"}',
    '{"a":{"b":"secret-text"}}',
  ]) {
    const { code, stderr } = await here.vp(['place-files', '--to', to], given(text));
    t.equal(code, 2, text);
    t.match(stderr, 'PLACED_INPUT_INVALID');
    t.notMatch(stderr, 'secret-text');
  }
  t.same(readdirSync(to), ['kept']);
});

t.test('a folder that is not there is told', async (t) => {
  const here = workspace(t, nowhere);
  const called = await here.vp(['place-files', '--to', join(t.testdir(), 'absent')], given('{"a":"b"}'));
  t.match(called, { code: 4, stderr: /PLACED_FOLDER_UNWRITABLE/ });
});

t.test('the group of a socket is printed, and nothing else is taken for one', async (t) => {
  const here = workspace(t, nowhere);
  // A short path: those of sockets have a limit.
  const folder = mkdtempSync(join(tmpdir(), 'vp-group-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 's.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => server.close());
  t.match(await here.vp(['socket-group', path]), { code: 0, stdout: `${statSync(path).gid}\n` });
  writeFileSync(join(folder, 'file'), '');
  for (const other of ['file', 'absent'])
    t.match(await here.vp(['socket-group', join(folder, other)]), { code: 2, stderr: /SOCKET_PATH_ABSENT/ });
});

t.test('their help says whom they are for', async (t) => {
  const here = workspace(t, nowhere);
  for (const name of ['reach', 'place-files', 'socket-group'])
    t.match((await here.vp([name, '--help'])).stdout, /for onboarding[\s\S]*`vp onboard`/, name);
});
