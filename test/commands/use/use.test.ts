/** The control plane and the instance that commands use when their line names none. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { writeCredential } from '../../../src/commands/control-plane/credentials.ts';
import {
  getPreferencesFile,
  preferControlPlane,
  preferInstance,
} from '../../../src/commands/control-plane/preferences.ts';
import { connectFolder } from '../../../src/onboarding/agent-folders/connect.ts';
import { createFolderContext } from '../../../src/onboarding/agent-folders/file-access.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText } from '../test-workspace.ts';

async function createPlane(t: Test, ...instances: readonly string[]) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  const plane = await startTestControlPlane(t, workspace);
  for (const instance of instances) await plane.registerInstance(instance);
  return { workspace, plane };
}

t.test('without a choice the default is used, and said so', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  const { code, stdout } = await workspace.vp(['use']);
  t.equal(code, 0);
  t.match(stdout, /control plane {2}http:\/\/127\.0\.0\.1:7700 \(the default\)\ninstance +none chosen/);
  t.match(stdout, /signed in +no: sign in with `vp login`/);
  t.match(JSON.parse((await workspace.vp(['use', '--json'])).stdout), {
    control_plane: { url: 'http://127.0.0.1:7700', source: 'default' },
    instance: null,
    signed_in: false,
  });
});

t.test('the next commands go to the chosen control plane and instance', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop', 'bank');
  await plane.writeScenario('bank', 'RT-GET-account', scenarioText('RT-GET-account'));
  t.match(await workspace.vp(['use', `${plane.url}/`, '--instance', 'bank']), {
    code: 0,
    stdout: new RegExp(`${plane.url} \\(from \`vp use\``),
  });
  t.equal(statSync(getPreferencesFile(workspace.paths)).mode & 0o777, 0o600);
  t.match(await workspace.vp(['scenarios', 'list']), { code: 0, stdout: /RT-GET-account/ });
  t.match(await workspace.vp(['agent-token', 'list']), { code: 0, stdout: /no agent has a token for bank/ });
  t.match(await workspace.vp(['instances', 'show']), { code: 0, stdout: /bank/ });
  t.match(await workspace.vp(['scenarios', 'list', '--instance', 'shop']), {
    stdout: /no scenarios in the catalogue of shop/,
  });
  t.match(await workspace.vp(['scenarios', 'list'], { variables: { VP_INSTANCE: 'shop' } }), { stdout: /of shop/ });
  t.match(await workspace.vp(['agent-token', 'list'], { variables: { VP_INSTANCE: 'shop' } }), { stdout: /for shop/ });
});

t.test('JSON output names the values that were remembered, and only those', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop', 'bank');
  await workspace.vp(['use', plane.url, '--instance', 'bank']);
  const list = async (...args: readonly string[]) =>
    JSON.parse((await workspace.vp(['scenarios', 'list', '--json', ...args])).stdout);
  t.same(await list(), {
    used: { control_plane: { url: plane.url, source: 'preference' }, instance: { id: 'bank', source: 'preference' } },
    instance: 'bank',
    scenarios: [],
  });
  t.same((await list('--instance', 'shop')).used, { control_plane: { url: plane.url, source: 'preference' } });
  t.notOk('used' in (await list('--instance', 'shop', '--control-plane', plane.url)));
  const { stdout } = await workspace.vp(['scenarios', 'list']);
  t.notMatch(stdout, 'used', 'a table does not repeat it');
});

t.test('at --log-level debug it is said which ones were used', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop', 'bank');
  await workspace.vp(['use', plane.url, '--instance', 'bank']);
  const { stderr } = await workspace.vp(['scenarios', 'list', '--log-level', 'debug'], {
    variables: { VP_INSTANCE: 'shop' },
  });
  t.match(
    stderr,
    `vp: using instance shop (VP_INSTANCE), control plane ${plane.url} (from \`vp use\` or \`vp login\`)`,
  );
});

t.test('an instance belongs to the control plane it was chosen at', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop', 'bank');
  preferControlPlane(workspace.paths, 'https://vp.example.com');
  preferInstance(workspace.paths, 'https://vp.example.com', 'bank');
  const { code, stderr } = await workspace.vp(['scenarios', 'list', '--control-plane', plane.url]);
  t.equal(code, 2);
  t.match(stderr, 'INSTANCE_AMBIGUOUS');
});

t.test('what removes or filters does not take the chosen instance, but the variable', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop', 'bank');
  await workspace.vp(['use', plane.url, '--instance', 'bank']);
  t.match(await workspace.vp(['disconnect', '--test-dir', '.']), { code: 2, stderr: /--instance is needed/ });
  t.match(await workspace.vp(['instances', 'remove', '--yes']), { code: 2, stderr: /COMMAND_WORD_MISSING/ });
  t.match(await workspace.vp(['runs']), { code: 0, stdout: 'no runs\n' });
  t.match(await workspace.vp(['runs'], { variables: { VP_INSTANCE: 'away' } }), {
    code: 2,
    stderr: /INSTANCE_UNKNOWN/,
  });
});

t.test('the origin of a value is no command to paste: it keeps its form', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop');
  await workspace.vp(['use', plane.url]);
  const { stderr } = await workspace.vp(['runs', '--instance', 'typo']);
  t.match(stderr.replaceAll(/\s+/g, ' '), '(from `vp use` or `vp login`)');
  t.match(stderr, 'INSTANCE_UNKNOWN');
});

t.test('a connected folder decides before `vp use`, also for folders below it', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop', 'bank');
  preferControlPlane(workspace.paths, 'https://vp.example.com');
  workspace.write('tests/scenarios/a.md', scenarioText('RT-GET-a'));
  const folder = join(workspace.folder, 'tests');
  const { environment } = memoryEnvironment({ paths: workspace.paths, cwd: join(folder, 'scenarios') });
  const connection = { instance: 'bank', role: 'test', token: 'x'.repeat(40), controlPlane: plane.url } as const;
  const settings = { ...connection, folder, routerUrl: 'http://127.0.0.1:9765/mcp', agentTokenId: 'a' };
  await connectFolder(settings, createFolderContext(environment));
  for (const cwd of [folder, join(folder, 'scenarios')]) {
    const { written, environment } = memoryEnvironment({ paths: workspace.paths, cwd, args: ['use', '--json'] });
    const { main } = await import('../../../src/commands/main.ts');
    t.equal(await main(environment), 0);
    t.match(JSON.parse(written.stdout), {
      control_plane: { url: plane.url, source: 'folder' },
      instance: { id: 'bank', source: 'folder' },
    });
  }
});

t.test('an instance that does not exist is not chosen; one that cannot be checked is, and it is said', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop');
  t.match(await workspace.vp(['use', plane.url, '--instance', 'bank']), { code: 2, stderr: /INSTANCE_UNKNOWN/ });
  const { code, stdout } = await workspace.vp(['use', 'http://127.0.0.1:2', '--instance', 'bank']);
  t.equal(code, 0);
  t.match(stdout, /instance +bank/);
  t.match(
    stdout,
    /not checked +the control plane at http:\/\/127\.0\.0\.1:2 cannot be reached: nothing listens there \(ECONNREFUSED\)/,
  );
});

t.test('on this machine a port is an address; elsewhere the scheme must be said', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop');
  const port = new URL(plane.url).port;
  for (const address of [port, `:${port}`, `127.0.0.1:${port}`, `localhost:${port}`]) {
    const { stdout } = await workspace.vp(['use', address, '--json']);
    t.match(JSON.parse(stdout).control_plane.url, /^http:\/\/(127\.0\.0\.1|localhost):\d+$/, address);
    // The credential is that of 127.0.0.1.
    if (address.startsWith('localhost')) continue;
    t.match(await workspace.vp(['instances', '--control-plane', address]), { stdout: /shop/ }, address);
  }
  for (const address of ['vp.example.com', 'vp.example.com:7700', '10.0.0.7:7700']) {
    const { code, stderr } = await workspace.vp(['use', address]);
    t.equal(code, 2);
    t.match(
      stderr.replaceAll(/\s+/g, ' '),
      `has no scheme: write https://${address}, or http://${address} where it has no TLS`,
    );
  }
});

t.test('an error about a chosen value says where it comes from', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop');
  await workspace.vp(['use', plane.url, '--instance', 'shop']);
  const { stderr } = await workspace.vp(['scenarios', 'list'], { variables: { VP_INSTANCE: 'bank' } });
  t.match(stderr, /INSTANCE_UNKNOWN[\s\S]*instance bank \(VP_INSTANCE\)/);
});

t.test('--clear forgets everything, and a damaged file is refused but can be replaced', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop');
  await workspace.vp(['use', plane.url, '--instance', 'shop']);
  t.match(await workspace.vp(['use', '--clear']), { code: 0 });
  t.match(JSON.parse((await workspace.vp(['use', '--json'])).stdout), { control_plane: { source: 'default' } });
  t.match(await workspace.vp(['use', '--clear', '--instance', 'x']), { code: 2, stderr: /FLAG_CONTRADICTED/ });
  await workspace.vp(['use', plane.url]);
  writeFileSync(getPreferencesFile(workspace.paths), '{"instances":[],"control_plane":7}');
  t.match(await workspace.vp(['whoami']), { code: 2, stderr: /PREFERENCES_UNUSABLE[\s\S]*vp use --clear/ });
  t.match(await workspace.vp(['whoami', '--control-plane', plane.url]), { code: 0 });
  t.match(await workspace.vp(['use', plane.url]), { code: 0 });
  t.match(await workspace.vp(['whoami']), { code: 0 });
});

t.test('a folder that cannot be written is told', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  workspace.write('home/.config/vp', 'a file in its place');
  t.match(await workspace.vp(['use', 'http://127.0.0.1:1']), { code: 4, stderr: /PREFERENCES_UNWRITABLE/ });
});

t.test('a wrong URL is refused before it is stored', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  for (const url of ['vp.example.com', 'ftp://vp.example.com', 'http://a:b@vp.example.com'])
    t.match(await workspace.vp(['use', url]), { code: 2, stderr: /FLAG_INVALID/ }, url);
  t.throws(() => readFileSync(getPreferencesFile(workspace.paths)), { code: 'ENOENT' });
});

t.test('nothing listening is told as such, with a command that starts it there', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  const { code, stderr } = await workspace.vp(['run', 'RT-1', '--control-plane', 'http://127.0.0.1:2']);
  t.equal(code, 4);
  t.match(stderr, 'CONTROL_PLANE_UNREACHABLE');
  t.match(stderr, 'nothing listens there');
  t.match(stderr, 'start it with `vp serve --port 2`');
  t.match(stderr, '`vp run --local`');
  t.notMatch(stderr, 'credential');
});

t.test('suggested commands carry the control plane only where nothing else leads there', async (t) => {
  const { workspace, plane } = await createPlane(t, 'shop');
  const missing = ['runs', 'show', '20261120T143012345'];
  t.match(
    (await workspace.vp([...missing, '--control-plane', plane.url])).stderr,
    `see \`vp runs --control-plane ${plane.url}\``,
  );
  const { stderr } = await workspace.vp(missing, { variables: { VP_CONTROL_PLANE: plane.url } });
  t.match(stderr, `see \`vp runs --control-plane ${plane.url}\``, 'a variable may be set for one command only');
  await workspace.vp(['use', plane.url]);
  t.match((await workspace.vp([...missing, '--control-plane', plane.url])).stderr, 'see `vp runs`');
  writeCredential(workspace.paths, 'http://127.0.0.1:2', 'x');
});
