/** The commands that onboarding runs in containers. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, startTarget } from '../test-workspace.ts';

const nowhere = 'http://127.0.0.1:1';

t.test('reach distinguishes a control plane from other servers, with a reason', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { url } = await startTestControlPlane(t, testWorkspace);
  t.match(await testWorkspace.vp(['reach', url]), { code: 0, stdout: '{"reachable":true}\n' });
  const { origin } = await startTarget(t, respondWithJson({ count: 3 }));
  for (const [address, reason] of [
    [origin, /not a control plane/],
    ['http://127.0.0.1:39', /nothing listens there/],
    ['unix:/nowhere/control.sock', /the socket does not exist/],
    ['nonsense', /not an http or https URL/],
  ] as const) {
    const { code, stdout } = await testWorkspace.vp(['reach', address]);
    t.equal(code, 4, address);
    t.match(JSON.parse(stdout), { reachable: false, reason }, address);
  }
});

function withInput(text: string) {
  return { stdin: Readable.from([text]) };
}

t.test('placed files are private, replace existing files, and are not printed', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const targetFolder = t.testdir({ 'old.key': 'old', kept: 'before' });
  const files = { 'executor.key': 'vpe_secret', '.env': 'TOKEN=abc\n', kept: 'after' };
  const result = await testWorkspace.vp(['place-files', '--to', targetFolder], withInput(JSON.stringify(files)));
  t.match(result, { code: 0, stdout: '', stderr: '' });
  t.same(readdirSync(targetFolder).sort(), ['.env', 'executor.key', 'kept']);
  for (const [name, text] of Object.entries(files)) {
    t.equal(readFileSync(join(targetFolder, name), 'utf8'), text);
    t.equal(statSync(join(targetFolder, name)).mode & 0o777, 0o600);
  }
});

t.test('invalid input is refused as a whole and not quoted', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const targetFolder = t.testdir({ kept: 'before' });
  for (const text of [
    'secret-text',
    '["secret-text"]',
    '{"../up":"secret-text"}',
    '{"a/b":"secret-text"}',
    '{"..":"secret-text"}',
    '{"a":{"b":"secret-text"}}',
  ]) {
    const { code, stderr } = await testWorkspace.vp(['place-files', '--to', targetFolder], withInput(text));
    t.equal(code, 2, text);
    t.match(stderr, 'PLACED_INPUT_INVALID');
    t.notMatch(stderr, 'secret-text');
  }
  t.same(readdirSync(targetFolder), ['kept']);
});

t.test('a missing folder is reported', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const result = await testWorkspace.vp(['place-files', '--to', join(t.testdir(), 'absent')], withInput('{"a":"b"}'));
  t.match(result, { code: 4, stderr: /PLACED_FOLDER_UNWRITABLE/ });
});

t.test('the group of a socket is printed, and other files are refused', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  // A short path: those of sockets have a limit.
  const folder = mkdtempSync(join(tmpdir(), 'vp-group-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 's.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => server.close());
  t.match(await testWorkspace.vp(['socket-group', path]), { code: 0, stdout: `${statSync(path).gid}\n` });
  writeFileSync(join(folder, 'file'), '');
  for (const wrongPath of ['file', 'absent'])
    t.match(await testWorkspace.vp(['socket-group', join(folder, wrongPath)]), {
      code: 2,
      stderr: /SOCKET_PATH_ABSENT/,
    });
});

t.test('their help says what they are for', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  for (const name of ['reach', 'place-files', 'socket-group'])
    t.match((await testWorkspace.vp([name, '--help'])).stdout, /for onboarding[\s\S]*`vp onboard`/, name);
});
