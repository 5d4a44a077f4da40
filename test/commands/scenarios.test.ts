/** `vp scenarios list|push|pull|diff`, on a real control plane. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { json } from '../targets/http-target.ts';
import { type Plane, plane } from './plane.ts';
import { firstCheckLine, scenarioText, target, type Workspace, workspace } from './workspace.ts';

const one = scenarioText('RT-one', { tags: 'http, smoke' });
const two = scenarioText('RT-two');

async function empty(t: Test, files: Record<string, string> = {}): Promise<{ here: Workspace; there: Plane }> {
  const here = workspace(t, 'http://127.0.0.1:9', files);
  const there = await plane(t, here);
  await there.register('shop');
  return { here, there };
}

async function revisionOf(there: Plane, id: string): Promise<number> {
  return (await there.control.catalogue.get('shop', id)).revision;
}

t.test('files are pushed, listed, and not sent again while they are the same', async (t) => {
  const { here, there } = await empty(t, { 'scenarios/one.md': one, 'scenarios/deep/two.md': two });
  t.match(await there.vp(['scenarios', 'list']), { code: 0, stdout: /no scenarios in the catalogue of shop; .*push/ });
  const first = await there.vp(['scenarios', 'push', 'scenarios']);
  t.match(first, { code: 0, stderr: '' });
  t.match(first.stdout, 'created  RT-two  revision 1 · scenarios/deep/two.md\n');
  t.match(first.stdout, '2 of 2 sent to shop, 0 unchanged\n');
  t.equal((await there.vp(['scenarios', 'push', 'scenarios'])).stdout, '0 of 2 sent to shop, 2 unchanged\n');

  here.write('scenarios/one.md', one.replace('5s', '7s'));
  t.match(
    (await there.vp(['scenarios', 'push', 'scenarios'])).stdout,
    /^updated {2}RT-one {2}revision 2 · .*\n1 of 2 sent/,
  );
  const { stdout } = await there.vp(['scenarios', 'list']);
  t.match(stdout, /^ID +TITLE +TAGS +REVISION +WRITTEN +BY\nRT-one +GET RT-one +http, smoke +2 +.* owner\nRT-two /);
  const listed = JSON.parse((await there.vp(['scenarios', 'list', '--json', '--tag', 'smoke'])).stdout);
  t.match(listed, { instance: 'shop', scenarios: [{ scenario_id: 'RT-one', revision: 2 }] });
  t.equal(listed.scenarios.length, 1);
});

t.test('one mistake anywhere keeps everything here', async (t) => {
  const bad = two.replace('status=200', 'statsu=200');
  const { there } = await empty(t, { 'scenarios/one.md': one, 'scenarios/two.md': bad });
  const { code, stderr } = await there.vp(['scenarios', 'push', 'scenarios']);
  t.equal(code, 2);
  t.match(stderr, `scenarios/two.md:${firstCheckLine}:3: error SCENARIO_`);
  t.match(stderr, 'SCENARIO_FILES_INVALID');
  t.equal((await there.control.catalogue.list('shop', { limit: 10 })).items.length, 0);
});

t.test('what only the control plane can know is told with its place, and the others are sent', async (t) => {
  const { origin } = await target(t, json({}));
  const secret = one.replace('/api/v2/document', '/${API_TOKEN}');
  const { there } = await empty(t, { 'scenarios/one.md': secret, 'scenarios/two.md': two });
  await there.execute('shop', origin);
  while ((await there.control.instances.get('shop')).target === null)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const { code, stdout, stderr } = await there.vp(['scenarios', 'push', 'scenarios']);
  t.equal(code, 2);
  t.match(stdout, /refused {2}RT-one[\s\S]*created {2}RT-two[\s\S]*1 of 2 sent to shop, 0 unchanged, 1 refused/);
  t.match(stderr, /scenarios\/one\.md:11:\d+: error SCENARIO_PLACEHOLDER[\s\S]*\| GET .*API_TOKEN/);
});

t.test('somebody else’s newer revision is not overwritten, unless told to', async (t) => {
  const { here, there } = await empty(t, { 'scenarios/one.md': one });
  await there.vp(['scenarios', 'push', 'scenarios']);
  await there.put('shop', 'RT-one', one.replace('5s', '9s'));
  here.write('scenarios/one.md', one.replace('5s', '7s'));
  const refused = await there.vp(['scenarios', 'push', 'scenarios']);
  t.equal(refused.code, 1);
  t.match(
    refused.stdout,
    /refused {2}RT-one {2}scenarios\/one\.md · the catalogue has revision 2 by somebody, and this file is on top of 1/,
  );
  t.match(refused.stderr, /vp scenarios diff.*--force/);
  t.equal(await revisionOf(there, 'RT-one'), 2);

  const forced = await there.vp(['scenarios', 'push', 'scenarios', '--force', '--json']);
  t.equal(forced.code, 0);
  t.match(JSON.parse(forced.stdout), {
    instance: 'shop',
    total: 1,
    sent: 1,
    refused: 0,
    scenarios: [{ id: 'RT-one', outcome: 'updated', revision: 3, reason: null }],
  });
});

t.test('a file that has never met the catalogue does not overwrite what is there', async (t) => {
  const { there } = await empty(t, { 'clone/one.md': one.replace('5s', '7s') });
  await there.put('shop', 'RT-one', one);
  const { code, stdout } = await there.vp(['scenarios', 'push', 'clone']);
  t.equal(code, 1);
  t.match(stdout, 'this file was never pulled or pushed from here');
});

t.test('the catalogue is pulled into files, and changed files are kept', async (t) => {
  const { here, there } = await empty(t);
  await there.put('shop', 'RT-one', one);
  await there.put('shop', 'RT-two', two);
  const first = await there.vp(['scenarios', 'pull', 'work/scenarios']);
  t.match(first, {
    code: 0,
    stdout:
      /created {2}RT-one {2}revision 1 · work\/scenarios\/RT-one\.md\n[\s\S]*2 of 2 written from shop, 0 unchanged\n$/,
  });
  t.equal(readFileSync(join(here.folder, 'work/scenarios/RT-one.md'), 'utf8'), one);
  t.match((await there.vp(['scenarios', 'pull', 'work/scenarios'])).stdout, '0 of 2 written from shop, 2 unchanged');

  here.write('work/scenarios/RT-one.md', one.replace('5s', '7s'));
  here.write('work/scenarios/mine.md', scenarioText('RT-mine'));
  await there.put('shop', 'RT-one', one.replace('5s', '9s'));
  await there.put('shop', 'RT-two', two.replace('5s', '9s'));
  const second = await there.vp(['scenarios', 'pull', 'work/scenarios']);
  t.equal(second.code, 1);
  t.match(
    second.stdout,
    /kept {2}RT-one[\s\S]*updated {2}RT-two {2}revision 2[\s\S]*1 of 2 written from shop, 0 unchanged, 1 kept as changed here/,
  );
  t.match(second.stdout, 'not in the catalogue: work/scenarios/mine.md');
  t.match(readFileSync(join(here.folder, 'work/scenarios/RT-one.md'), 'utf8'), '7s');
  t.match(readFileSync(join(here.folder, 'work/scenarios/RT-two.md'), 'utf8'), '9s');

  const forced = await there.vp(['scenarios', 'pull', 'work/scenarios', '--force', '--json']);
  t.match(JSON.parse(forced.stdout), { written: 1, unchanged: 1, kept: 0, only_here: ['work/scenarios/mine.md'] });
  t.match(readFileSync(join(here.folder, 'work/scenarios/RT-one.md'), 'utf8'), '9s');
});

t.test('an old revision in a file is no change of its own', async (t) => {
  const { here, there } = await empty(t, { 'scenarios/any-name.md': one });
  await there.put('shop', 'RT-one', one);
  await there.put('shop', 'RT-one', one.replace('5s', '9s'));
  const { code, stdout } = await there.vp(['scenarios', 'pull', 'scenarios']);
  t.equal(code, 0);
  t.match(stdout, 'updated  RT-one  revision 2 · scenarios/any-name.md');
  t.notOk(existsSync(join(here.folder, 'scenarios/RT-one.md')), 'the file that has the ID is the file');
});

t.test('a folder that cannot be written to is told', async (t) => {
  const { here, there } = await empty(t);
  await there.put('shop', 'RT-one', one);
  here.write('file', '');
  t.match(await there.vp(['scenarios', 'pull', 'file/below']), { code: 4, stderr: 'SCENARIO_FOLDER_UNWRITABLE' });
});

t.test('push, pull and diff go round', async (t) => {
  const { here, there } = await empty(t, { 'a/one.md': one, 'a/two.md': two });
  await there.vp(['scenarios', 'push', 'a']);
  t.match(await there.vp(['scenarios', 'diff', 'a']), {
    code: 0,
    stdout: 'a and the catalogue of shop are the same\n',
  });
  await there.vp(['scenarios', 'pull', 'b']);
  t.match(await there.vp(['scenarios', 'diff', 'b']), { code: 0 });
  here.write('b/RT-one.md', one.replace('5s', '7s'));
  t.match(await there.vp(['scenarios', 'push', 'b']), { code: 0, stdout: '1 of 2 sent' });
  t.match(await there.vp(['scenarios', 'pull', 'a']), { code: 0, stdout: 'updated  RT-one  revision 2 · a/one.md' });
  t.equal(readFileSync(join(here.folder, 'a/one.md'), 'utf8'), one.replace('5s', '7s'));
});

t.test('differences are shown line by line, and exit 1', async (t) => {
  const { here, there } = await empty(t, { 'a/one.md': one, 'a/two.md': two });
  await there.vp(['scenarios', 'push', 'a']);
  here.write('a/one.md', one.replace('5s', '7s'));
  rmSync(join(here.folder, 'a/two.md'));
  writeFileSync(join(here.folder, 'a/three.md'), scenarioText('RT-three'));
  const { code, stdout } = await there.vp(['scenarios', 'diff', 'a']);
  t.equal(code, 1);
  t.match(stdout, /--- shop\/RT-one@1\n\+\+\+ a\/one\.md\n@@ -19,4 \+19,4 @@\n \n ## TIMEOUT\n \n-5s\n\+7s\n/);
  t.match(stdout, 'only in the folder  RT-three  a/three.md\n');
  t.match(stdout, 'only in the catalogue  RT-two  revision 1\n');
  const { differences } = JSON.parse((await there.vp(['scenarios', 'diff', 'a', '--json'])).stdout);
  t.match(differences, [
    { scenario_id: 'RT-one', status: 'changed', diff: /-5s\n\+7s/ },
    { status: 'only_in_folder' },
    { status: 'only_in_catalogue' },
  ]);
});
