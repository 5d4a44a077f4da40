import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { version } from '../../../src/environment/version.ts';
import { removeKit } from '../../../src/onboarding/kit/remove-kit.ts';
import { writeKit } from '../../../src/onboarding/kit/write-kit.ts';
import { createWorkspace } from '../../commands/test-workspace.ts';

function createKitFixture(t: Test) {
  const folder = t.testdir({ program: 'the program' });
  const program = { file: join(folder, 'program'), platform: 'linux-x64' };
  const kit = join(folder, 'kit');
  const write = (programOverride: typeof program | undefined = program) =>
    writeKit({ folder: kit, program: programOverride, random: systemRandom });
  const mode = (name: string): number => statSync(join(kit, name)).mode & 0o777;
  const changes = async (own?: typeof program) =>
    Object.fromEntries((await write(own)).changes.map(({ name, change }) => [name, change]));
  return { folder, kit, program, write, changes, mode };
}

const all = ['.gitignore', 'README.md', 'bin', 'compose', 'kit.json', 'onboarding'];

t.test('writing a kit again changes nothing', async (t) => {
  const { kit, write, changes, mode } = createKitFixture(t);
  t.match(await write(), { version, versionBefore: undefined, platform: 'linux-x64' });
  t.same(readdirSync(kit).sort(), all);
  t.same(readdirSync(join(kit, 'compose/reference')), ['dashboard.yaml', 'instance.yaml', 'router.yaml']);
  t.match(readFileSync(join(kit, 'compose/reference/instance.yaml'), 'utf8'), /name: platform-inst-example\n/);
  t.same(readdirSync(join(kit, 'onboarding')), ['onboard.sh', 'teardown.sh']);
  t.same([mode('onboarding/onboard.sh'), mode('onboarding/teardown.sh'), mode('bin/vp')], [0o755, 0o755, 0o755]);
  t.equal(readFileSync(join(kit, 'bin/vp'), 'utf8'), 'the program');
  t.same(new Set(Object.values(await changes())), new Set(['kept']));
  chmodSync(join(kit, 'onboarding/onboard.sh'), 0o644);
  t.match(await changes(), { 'onboarding/onboard.sh': 'changed', 'onboarding/teardown.sh': 'kept' });
  t.equal(mode('onboarding/onboard.sh'), 0o755);
});

t.test('without a binary none is written, and one of this version is kept', async (t) => {
  const { kit, write, program } = createKitFixture(t);
  t.match(await writeKit({ folder: kit, program: undefined, random: systemRandom }), { platform: undefined });
  t.notOk(existsSync(join(kit, 'bin')));
  await write();
  t.match(await writeKit({ folder: kit, program: undefined, random: systemRandom }), { platform: 'linux-x64' });
  t.ok(existsSync(join(kit, 'bin/vp')));
  const own = { ...program, file: join(kit, 'bin/vp') };
  t.match(await writeKit({ folder: kit, program: own, random: systemRandom }), { platform: 'linux-x64' });
  t.equal(readFileSync(own.file, 'utf8'), 'the program', 'the kit’s own program writes the kit');
});

t.test('a kit of another version is updated, and other files stay', async (t) => {
  const { kit, changes, write } = createKitFixture(t);
  mkdirSync(join(kit, 'old'), { recursive: true });
  const files = ['old/part.sh', 'README.md', 'bin/vp', 'kit.json'];
  writeFileSync(join(kit, 'kit.json'), JSON.stringify({ kit: 1, version: '0.3.52', platform: null, files }));
  writeFileSync(join(kit, 'old/part.sh'), '');
  writeFileSync(join(kit, 'README.md'), 'old');
  writeFileSync(join(kit, 'journal.json'), '{}');
  t.match(await changes(), { 'README.md': 'changed', 'old/part.sh': 'removed', 'bin/vp': 'created' });
  t.same(readdirSync(kit).sort(), [...all, 'journal.json'].sort());
  t.match(await write(), { versionBefore: version });
});

t.test('a binary of another version is removed', async (t) => {
  const { kit, write } = createKitFixture(t);
  await write();
  const manifest = JSON.parse(readFileSync(join(kit, 'kit.json'), 'utf8'));
  writeFileSync(join(kit, 'kit.json'), JSON.stringify({ ...manifest, version: '0.3.52' }));
  const result = await writeKit({ folder: kit, program: undefined, random: systemRandom });
  t.match(result, { versionBefore: '0.3.52', platform: undefined });
  t.notOk(existsSync(join(kit, 'bin')));
});

t.test('a folder with other files is not written to', async (t) => {
  const { kit, write } = createKitFixture(t);
  mkdirSync(kit);
  for (const name of ['.DS_Store', 'a', 'b', 'c', 'd']) writeFileSync(join(kit, name), '');
  await t.rejects(write(), { code: 'KIT_FOLDER_FOREIGN', message: /contains other files: a, b, c and 1 more$/ });
  t.same(readdirSync(kit), ['.DS_Store', 'a', 'b', 'c', 'd']);
  writeFileSync(
    join(kit, 'kit.json'),
    JSON.stringify({ kit: 1, version: '1', platform: null, files: ['../../program'] }),
  );
  await t.rejects(write(), { code: 'KIT_FOLDER_FOREIGN' }, 'a list that leads out of the folder is none');
});

t.test('an unwritable folder is reported', async (t) => {
  const { folder } = createKitFixture(t);
  const optionsInFile = { folder: join(folder, 'program', 'kit'), program: undefined, random: systemRandom };
  await t.rejects(writeKit(optionsInFile), {
    code: 'KIT_FOLDER_UNWRITABLE',
    message: /ENOTDIR/,
    cure: /--user "\$\(id -u\)/,
  });
});

t.test('a kit is removed, and its folder if nothing else is in it', async (t) => {
  const { kit, write } = createKitFixture(t);
  await write();
  t.same(await removeKit(kit), {
    files: [
      ...['onboarding/onboard.sh', 'onboarding/teardown.sh'],
      ...['instance', 'router', 'dashboard'].map((name) => `compose/reference/${name}.yaml`),
      ...['README.md', '.gitignore', 'bin/vp', 'kit.json'],
    ],
    isFolderRemoved: true,
  });
  t.notOk(existsSync(kit));
  t.same(await removeKit(kit), { files: [], isFolderRemoved: true }, 'again');
  await write();
  writeFileSync(join(kit, 'onboarding/mine.sh'), '');
  t.match(await removeKit(kit), { isFolderRemoved: false });
  t.same([readdirSync(kit), readdirSync(join(kit, 'onboarding'))], [['onboarding'], ['mine.sh']]);
  t.match(await removeKit(kit), { files: [], isFolderRemoved: false }, 'no kit any more');
});

t.test('vp init names the files that it created, and refuses a folder that is no kit', async (t) => {
  const { vp, folder } = createWorkspace(t, 'http://127.0.0.1:1');
  t.match(await vp(['init', '--out', 'kit', '--platform', 'linux-x64']), {
    code: 0,
    stdout:
      /^kit \S+ in .*kit\n[\s\S]*created\s+onboarding\/onboard\.sh\n[\s\S]*the kit has no vp binary[\s\S]*next: run `bash/,
  });
  t.match(JSON.parse((await vp(['init', '--out', 'kit', '--json'])).stdout), {
    folder: join(folder, 'kit'),
    version,
    version_before: version,
    platform: null,
  });
  t.match(await vp(['init', '--out', 'product']), { code: 2, stderr: /KIT_FOLDER_FOREIGN/ });
});
