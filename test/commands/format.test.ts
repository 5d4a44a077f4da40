/** `vp format`, from the line to the files and the exit code. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { exampleScenario } from '../../src/scenario/guide.ts';
import { scenarioText, workspace } from './workspace.ts';

const noTarget = 'http://127.0.0.1:9';
const usual = scenarioText('RT-a');
const untidy = usual
  .replaceAll(/^- (ID|Layer|Tags):/gm, '- **$1**:')
  .replace('- status', '*   status')
  .replaceAll('\n\n', '\n\n\n')
  .replaceAll('\n', '\r\n');
const wrong = scenarioText('RT-wrong', { checks: ['nonsense'] });

t.test('files are written in the usual way, and those that are stay untouched', async (t) => {
  const { vp, folder } = workspace(t, noTarget, { 's/a.md': untidy, 's/b.md': usual });
  const before = statSync(join(folder, 's/b.md')).mtimeMs;
  t.same(await vp(['format', 's']), { code: 0, stdout: 'formatted: s/a.md\n1 formatted, 1 unchanged\n', stderr: '' });
  t.equal(readFileSync(join(folder, 's/a.md'), 'utf8'), usual);
  t.equal(statSync(join(folder, 's/b.md')).mtimeMs, before);
  t.same(readdirSync(join(folder, 's')), ['a.md', 'b.md'], 'nothing is left behind');
  t.same(await vp(['format', 's']), { code: 0, stdout: '0 formatted, 2 unchanged\n', stderr: '' });
});

t.test('the product’s own examples are written in the usual way', async (t) => {
  const { vp, write } = workspace(t, noTarget);
  const check = async (path: string) => {
    const { code, stdout } = await vp(['format', '--check', path]);
    t.match({ code, stdout }, { code: 0, stdout: /^0 would change, [1-9]\d* unchanged\n$/ }, path);
  };
  await check(join(import.meta.dirname, '../../compose/example'));
  await check(write('guide.md', exampleScenario()));
});

t.test('--check writes nothing and exits 1 where a file would change', async (t) => {
  const { vp, folder } = workspace(t, noTarget, { 's/a.md': untidy, 's/b.md': usual });
  const { code, stdout } = await vp(['format', 's', '--check']);
  t.equal(code, 1);
  t.equal(stdout, 'would change: s/a.md\n1 would change, 1 unchanged\n');
  t.equal(readFileSync(join(folder, 's/a.md'), 'utf8'), untidy);
  t.equal((await vp(['format', 's/b.md', '--check'])).code, 0);
});

t.test('a file with errors is left alone, told, and keeps no other from being formatted', async (t) => {
  const { vp, folder } = workspace(t, noTarget, { 's/a.md': untidy, 's/wrong.md': wrong });
  const { code, stdout } = await vp(['format', 's', 'absent.md']);
  t.equal(code, 2);
  t.match(stdout, 'absent.md: error SCENARIO_FILE_MISSING');
  t.match(stdout, 's/wrong.md:18:3: error SCENARIO_CHECK_UNKNOWN');
  t.match(stdout, 'formatted: s/a.md\n1 formatted, 0 unchanged, 2 left alone\n');
  t.equal(readFileSync(join(folder, 's/wrong.md'), 'utf8'), wrong);
  t.equal(readFileSync(join(folder, 's/a.md'), 'utf8'), usual);
});

t.test('mode and links of a file stay', async (t) => {
  const { vp, folder, write } = workspace(t, noTarget, { 's/real.md': untidy });
  chmodSync(join(folder, 's/real.md'), 0o640);
  mkdirSync(join(folder, 'links'));
  symlinkSync('../s/real.md', join(folder, 'links/a.md'));
  t.equal((await vp(['format', 'links/a.md'])).code, 0);
  t.ok(lstatSync(join(folder, 'links/a.md')).isSymbolicLink());
  t.equal(readFileSync(join(folder, 's/real.md'), 'utf8'), usual);
  t.equal(statSync(join(folder, 's/real.md')).mode & 0o777, 0o640);
  write('s/real.md', usual);
});

t.test('a file that cannot be written is told and exits 4', async (t) => {
  const name = `${'x'.repeat(240)}.md`;
  const { vp, folder } = workspace(t, noTarget, { [name]: untidy });
  const { code, stdout } = await vp(['format', name]);
  t.equal(code, 4, 'the name leaves no room for the one of the copy beside it');
  t.match(stdout, `${name}: error SCENARIO_FILE_UNWRITABLE: ${name} cannot be written: ENAMETOOLONG`);
  t.match(stdout, '0 formatted, 0 unchanged, 1 left alone\n');
  t.equal(readFileSync(join(folder, name), 'utf8'), untidy);
});

t.test('variables of any name are let pass: they are not what is formatted', async (t) => {
  const text = usual.replace('/api/v2/document', '/${TENANT}');
  const { vp } = workspace(t, noTarget, { 'a.md': text });
  t.equal((await vp(['format', 'a.md', '--check'])).code, 0);
});

t.test('with --json there is one document', async (t) => {
  const { vp } = workspace(t, noTarget, { 's/a.md': untidy, 's/b.md': usual, 's/wrong.md': wrong });
  const { code, stdout } = await vp(['format', 's', 'absent.md', '--json', '--check']);
  t.equal(code, 2);
  t.match(JSON.parse(stdout), {
    check: true,
    files: [
      { file: 'absent.md', state: 'refused', diagnostics: [{ code: 'SCENARIO_FILE_MISSING' }] },
      { file: 's/a.md', state: 'changed', diagnostics: [] },
      { file: 's/b.md', state: 'unchanged', diagnostics: [] },
      { file: 's/wrong.md', state: 'refused', diagnostics: [{ code: 'SCENARIO_CHECK_UNKNOWN', line: 18 }] },
    ],
  });
});
