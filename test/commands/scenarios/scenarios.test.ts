/** `vp scenarios list|push|pull|diff|history|rename|delete|restore`, on a real control plane. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane, type TestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, firstCheckLine, scenarioText, startTarget, type Workspace } from '../test-workspace.ts';

const scenarioOne = scenarioText('RT-one', { tags: 'http, smoke' });
const scenarioTwo = scenarioText('RT-two');

async function startEmpty(
  t: Test,
  files: Record<string, string> = {},
): Promise<{ testWorkspace: Workspace; controlPlane: TestControlPlane }> {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9', files);
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  return { testWorkspace, controlPlane };
}

async function getRevision(controlPlane: TestControlPlane, id: string): Promise<number> {
  return (await controlPlane.control.catalogue.get('shop', id)).revision;
}

t.test('files are pushed, listed, and not sent again while they are the same', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t, {
    'scenarios/one.md': scenarioOne,
    'scenarios/deep/two.md': scenarioTwo,
  });
  t.match(await controlPlane.vp(['scenarios', 'list']), {
    code: 0,
    stdout: /no scenarios in the catalogue of shop; .*push/,
  });
  const first = await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  t.match(first, { code: 0, stderr: '' });
  t.match(first.stdout, 'created  RT-two  revision 1 · scenarios/deep/two.md\n');
  t.match(first.stdout, '2 of 2 sent to shop, 0 unchanged\n');
  t.equal((await controlPlane.vp(['scenarios', 'push', 'scenarios'])).stdout, '0 of 2 sent to shop, 2 unchanged\n');

  testWorkspace.write('scenarios/one.md', scenarioOne.replace('5s', '7s'));
  t.match(
    (await controlPlane.vp(['scenarios', 'push', 'scenarios'])).stdout,
    /^updated {2}RT-one {2}revision 2 · .*\n1 of 2 sent/,
  );
  const { stdout } = await controlPlane.vp(['scenarios', 'list']);
  t.match(stdout, /^ID +TITLE +TAGS +REVISION +WRITTEN +BY\nRT-one +GET RT-one +http, smoke +2 +.* owner\nRT-two /);
  const listed = JSON.parse((await controlPlane.vp(['scenarios', 'list', '--json', '--tag', 'smoke'])).stdout);
  t.match(listed, { instance: 'shop', scenarios: [{ scenario_id: 'RT-one', revision: 2 }] });
  t.equal(listed.scenarios.length, 1);
});

t.test('with any error nothing is sent', async (t) => {
  const bad = scenarioTwo.replace('status=200', 'statsu=200');
  const { controlPlane } = await startEmpty(t, { 'scenarios/one.md': scenarioOne, 'scenarios/two.md': bad });
  const { code, stderr } = await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  t.equal(code, 2);
  t.match(stderr, `scenarios/two.md:${firstCheckLine}:3: error SCENARIO_`);
  t.match(stderr, 'SCENARIO_FILES_INVALID');
  t.equal((await controlPlane.control.catalogue.list('shop', { limit: 10 })).items.length, 0);
});

t.test(
  'errors that only the control plane finds are reported with their position, and other files are sent',
  async (t) => {
    const { origin } = await startTarget(t, respondWithJson({}));
    const secret = scenarioOne.replace('/api/v2/document', '/${API_TOKEN}');
    const { controlPlane } = await startEmpty(t, { 'scenarios/one.md': secret, 'scenarios/two.md': scenarioTwo });
    await controlPlane.startExecutor('shop', origin);
    await eventually(async () => (await controlPlane.control.instances.get('shop')).target);
    const { code, stdout, stderr } = await controlPlane.vp(['scenarios', 'push', 'scenarios']);
    t.equal(code, 2);
    t.match(stdout, /refused {2}RT-one[\s\S]*created {2}RT-two[\s\S]*1 of 2 sent to shop, 0 unchanged, 1 refused/);
    t.match(stderr, /scenarios\/one\.md:11:\d+: error SCENARIO_PLACEHOLDER[\s\S]*\| GET .*API_TOKEN/);
  },
);

t.test('a newer revision of someone else is overwritten only with --force', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t, { 'scenarios/one.md': scenarioOne });
  await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne.replace('5s', '9s'));
  testWorkspace.write('scenarios/one.md', scenarioOne.replace('5s', '7s'));
  const refused = await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  t.equal(refused.code, 1);
  t.match(
    refused.stdout,
    /conflict {2}RT-one {2}scenarios\/one\.md · the catalogue has revision 2 by somebody, and this file is based on revision 1/,
  );
  t.match(refused.stdout, '0 of 1 sent to shop, 0 unchanged, 1 conflict\n');
  t.match(refused.stderr, /vp scenarios diff.*--force.*--keep/);
  const json = JSON.parse((await controlPlane.vp(['scenarios', 'push', 'scenarios', '--json'])).stdout);
  t.match(json, { sent: 0, conflicts: 1, scenarios: [{ outcome: 'conflict', revision: 2, base_revision: 1 }] });
  t.equal(await getRevision(controlPlane, 'RT-one'), 2);

  const forced = await controlPlane.vp(['scenarios', 'push', 'scenarios', '--force', '--json']);
  t.equal(forced.code, 0);
  t.match(JSON.parse(forced.stdout), {
    instance: 'shop',
    total: 1,
    sent: 1,
    refused: 0,
    scenarios: [{ id: 'RT-one', outcome: 'updated', revision: 3, reason: null }],
  });
});

t.test('an unchanged file leaves an edit, a deletion and a rename of the catalogue as they are', async (t) => {
  const { controlPlane } = await startEmpty(t, {
    'scenarios/one.md': scenarioOne,
    'scenarios/two.md': scenarioTwo,
    'scenarios/three.md': scenarioText('RT-three'),
  });
  await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  const { catalogue } = controlPlane.control;
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne.replace('5s', '9s'));
  await catalogue.remove('shop', 'RT-two', { name: 'ana' });
  await catalogue.rename('shop', 'RT-three', { new_id: 'RT-new' }, { name: 'ana' });
  const { code, stdout } = await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  t.equal(code, 0);
  t.match(stdout, /kept {2}RT-one {2}.*revision 2 by somebody/);
  t.match(stdout, /kept {2}RT-two {2}.*deleted from the catalogue at revision 1 by ana/);
  t.match(stdout, /kept {2}RT-three {2}.*calls it RT-new now/);
  t.match(stdout, '0 of 3 sent to shop, 0 unchanged, 3 kept as in the catalogue\n');
  t.equal(await getRevision(controlPlane, 'RT-one'), 2);
});

t.test('--keep settles a conflict for the catalogue, and not together with --force', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t, { 'scenarios/one.md': scenarioOne });
  await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne.replace('5s', '9s'));
  testWorkspace.write('scenarios/one.md', scenarioOne.replace('5s', '7s'));
  t.equal((await controlPlane.vp(['scenarios', 'push', 'scenarios'])).code, 1);
  t.match(await controlPlane.vp(['scenarios', 'push', 'scenarios', '--keep']), { code: 0, stdout: /kept {2}RT-one/ });
  t.equal((await controlPlane.vp(['scenarios', 'push', 'scenarios'])).code, 0, 'it is remembered');
  t.equal((await controlPlane.vp(['scenarios', 'pull', 'scenarios'])).code, 1, 'the change of the file is not lost');
  const both = await controlPlane.vp(['scenarios', 'push', 'scenarios', '--keep', '--force']);
  t.match(both, { code: 2, stderr: /--keep contradicts --force/ });
});

t.test('a scenario is renamed, deleted and restored, with its history', async (t) => {
  const { controlPlane } = await startEmpty(t, { 'scenarios/one.md': scenarioOne });
  await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  t.match(await controlPlane.vp(['scenarios', 'rename', 'RT-one', 'RT-first']), {
    code: 0,
    stdout: 'scenario RT-one is now RT-first, revision 2\n',
  });
  t.match(await controlPlane.vp(['scenarios', 'delete', 'RT-first']), {
    code: 2,
    stderr: /SCENARIO_DELETION_UNCONFIRMED[\s\S]*--yes/,
  });
  t.match(await controlPlane.vp(['scenarios', 'delete', 'RT-first', '--yes']), {
    code: 0,
    stdout: /RT-first is deleted; restore it with `vp scenarios restore RT-first --instance shop/,
  });
  t.match((await controlPlane.vp(['scenarios', 'list'])).stdout, 'no scenarios');
  t.match(
    (await controlPlane.vp(['scenarios', 'list', '--deleted'])).stdout,
    /^ID .*\nRT-first +GET RT-one +2 .* owner\n$/,
  );
  t.match((await controlPlane.vp(['run', 'RT-first'])).stderr, /SCENARIO_DELETED[\s\S]*vp scenarios restore RT-first/);
  t.match(await controlPlane.vp(['scenarios', 'restore', 'RT-first']), {
    code: 0,
    stdout: 'scenario RT-first has the text of revision 2 again, as revision 3\n',
  });
  t.match((await controlPlane.vp(['scenarios', 'history', 'RT-one'])).stdout, /^ +3 .*\n +2 .*\n +1 .* as RT-one$/m);
  const restored = await controlPlane.vp(['scenarios', 'restore', 'RT-first', '--revision', '1', '--json']);
  t.match(JSON.parse(restored.stdout), { restored_revision: 1, scenario: { revision: 3 } }, 'the same text already');
  const deleted = await controlPlane.vp(['scenarios', 'delete', 'RT-first', '--yes', '--json']);
  t.match(JSON.parse(deleted.stdout), { instance: 'shop', deleted: [{ scenario_id: 'RT-first', revision: 3 }] });
});

t.test('what changes nothing, or finds nothing, says so', async (t) => {
  const { controlPlane } = await startEmpty(t, { 'scenarios/one.md': scenarioOne });
  await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  t.match(await controlPlane.vp(['scenarios', 'rename', 'RT-one', 'RT-one']), {
    code: 0,
    stdout: 'scenario RT-one has this ID already; nothing was changed\n',
  });
  t.match(await controlPlane.vp(['scenarios', 'restore', 'RT-one']), {
    code: 2,
    stderr: /not deleted, and has no earlier revision to restore \(SCENARIO_NOT_DELETED\)\n.*scenarios list --deleted/,
  });
  t.match(await controlPlane.vp(['scenarios', 'list', '--tag', 'nope']), {
    code: 0,
    stdout: 'no scenario of shop has the tag nope\n',
  });
});

t.test('a file that was never pulled does not overwrite the catalogue', async (t) => {
  const { controlPlane } = await startEmpty(t, { 'clone/one.md': scenarioOne.replace('5s', '7s') });
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne);
  const { code, stdout } = await controlPlane.vp(['scenarios', 'push', 'clone']);
  t.equal(code, 1);
  t.match(stdout, 'this file was never imported, pulled or pushed on this machine');
});

t.test('the catalogue is pulled into files, and changed files are kept', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t);
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne);
  await controlPlane.writeScenario('shop', 'RT-two', scenarioTwo);
  const first = await controlPlane.vp(['scenarios', 'pull', 'work/scenarios']);
  t.match(first, {
    code: 0,
    stdout:
      /created {2}RT-one {2}revision 1 · work\/scenarios\/RT-one\.md\n[\s\S]*2 of 2 written from shop, 0 unchanged\n$/,
  });
  t.equal(readFileSync(join(testWorkspace.folder, 'work/scenarios/RT-one.md'), 'utf8'), scenarioOne);
  t.match(
    (await controlPlane.vp(['scenarios', 'pull', 'work/scenarios'])).stdout,
    '0 of 2 written from shop, 2 unchanged',
  );

  testWorkspace.write('work/scenarios/RT-one.md', scenarioOne.replace('5s', '7s'));
  testWorkspace.write('work/scenarios/mine.md', scenarioText('RT-mine'));
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne.replace('5s', '9s'));
  await controlPlane.writeScenario('shop', 'RT-two', scenarioTwo.replace('5s', '9s'));
  const second = await controlPlane.vp(['scenarios', 'pull', 'work/scenarios']);
  t.equal(second.code, 1);
  t.match(
    second.stdout,
    /kept {2}RT-one[\s\S]*updated {2}RT-two {2}revision 2[\s\S]*1 of 2 written from shop, 0 unchanged, 1 kept because changed locally/,
  );
  t.match(second.stdout, 'not in the catalogue: work/scenarios/mine.md');
  t.match(readFileSync(join(testWorkspace.folder, 'work/scenarios/RT-one.md'), 'utf8'), '7s');
  t.match(readFileSync(join(testWorkspace.folder, 'work/scenarios/RT-two.md'), 'utf8'), '9s');

  const forced = await controlPlane.vp(['scenarios', 'pull', 'work/scenarios', '--force', '--json']);
  t.match(JSON.parse(forced.stdout), { written: 1, unchanged: 1, kept: 0, only_here: ['work/scenarios/mine.md'] });
  t.match(readFileSync(join(testWorkspace.folder, 'work/scenarios/RT-one.md'), 'utf8'), '9s');
});

t.test('an old revision in a file is not a local change', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t, { 'scenarios/any-name.md': scenarioOne });
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne);
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne.replace('5s', '9s'));
  const { code, stdout } = await controlPlane.vp(['scenarios', 'pull', 'scenarios']);
  t.equal(code, 0);
  t.match(stdout, 'updated  RT-one  revision 2 · scenarios/any-name.md');
  t.notOk(existsSync(join(testWorkspace.folder, 'scenarios/RT-one.md')), 'the file that has the ID is the file');
});

t.test('an unwritable folder is reported', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t);
  await controlPlane.writeScenario('shop', 'RT-one', scenarioOne);
  testWorkspace.write('file', '');
  t.match(await controlPlane.vp(['scenarios', 'pull', 'file/below']), {
    code: 4,
    stderr: 'SCENARIO_FOLDER_UNWRITABLE',
  });
});

t.test('push, pull and diff work together', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t, { 'a/one.md': scenarioOne, 'a/two.md': scenarioTwo });
  await controlPlane.vp(['scenarios', 'push', 'a']);
  t.match(await controlPlane.vp(['scenarios', 'diff', 'a']), {
    code: 0,
    stdout: 'a and the catalogue of shop are the same\n',
  });
  await controlPlane.vp(['scenarios', 'pull', 'b']);
  t.match(await controlPlane.vp(['scenarios', 'diff', 'b']), { code: 0 });
  testWorkspace.write('b/RT-one.md', scenarioOne.replace('5s', '7s'));
  t.match(await controlPlane.vp(['scenarios', 'push', 'b']), { code: 0, stdout: '1 of 2 sent' });
  t.match(await controlPlane.vp(['scenarios', 'pull', 'a']), {
    code: 0,
    stdout: 'updated  RT-one  revision 2 · a/one.md',
  });
  t.equal(readFileSync(join(testWorkspace.folder, 'a/one.md'), 'utf8'), scenarioOne.replace('5s', '7s'));
});

t.test('a folder that does not exist is not the same as an empty catalogue', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  t.match(await controlPlane.vp(['scenarios', 'diff', 'mistyped']), {
    code: 2,
    stderr: /mistyped \(SCENARIO_FILE_MISSING\)/,
  });
});

t.test('differences are shown line by line, and exit 1', async (t) => {
  const { testWorkspace, controlPlane } = await startEmpty(t, { 'a/one.md': scenarioOne, 'a/two.md': scenarioTwo });
  await controlPlane.vp(['scenarios', 'push', 'a']);
  testWorkspace.write('a/one.md', scenarioOne.replace('5s', '7s'));
  rmSync(join(testWorkspace.folder, 'a/two.md'));
  writeFileSync(join(testWorkspace.folder, 'a/three.md'), scenarioText('RT-three'));
  const { code, stdout } = await controlPlane.vp(['scenarios', 'diff', 'a']);
  t.equal(code, 1);
  t.match(stdout, /--- shop\/RT-one@1\n\+\+\+ a\/one\.md\n@@ -19,4 \+19,4 @@\n \n ## TIMEOUT\n \n-5s\n\+7s\n/);
  t.match(stdout, 'only in the folder  RT-three  a/three.md\n');
  t.match(stdout, 'only in the catalogue  RT-two  revision 1\n');
  const { differences } = JSON.parse((await controlPlane.vp(['scenarios', 'diff', 'a', '--json'])).stdout);
  t.match(differences, [
    { scenario_id: 'RT-one', status: 'changed', diff: /-5s\n\+7s/ },
    { status: 'only_in_folder' },
    { status: 'only_in_catalogue' },
  ]);
});

t.test('scenarios are listed by their owner', async (t) => {
  const owned = scenarioOne.replace(/(- Layer: .*\n)/, '$1- Owner: checkout team\n');
  const { controlPlane } = await startEmpty(t, { 'scenarios/one.md': owned, 'scenarios/two.md': scenarioTwo });
  await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  t.match((await controlPlane.vp(['scenarios', 'list'])).stdout, /OWNER[\s\S]*RT-one .*checkout team/);
  const { stdout } = await controlPlane.vp(['scenarios', 'list', '--owner', 'checkout team', '--json']);
  t.match(JSON.parse(stdout), { scenarios: [{ scenario_id: 'RT-one', owner: 'checkout team' }] });
  const none = await controlPlane.vp(['scenarios', 'list', '--owner', 'nobody']);
  t.match(none.stdout, 'no scenario of shop has the owner nobody');
});
