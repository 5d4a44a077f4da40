/** `vp format`, from the line to the files and the exit code. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { renderExampleScenario } from '../../../src/scenario/guide.ts';
import { createWorkspace, scenarioText } from '../test-workspace.ts';

const noTarget = 'http://127.0.0.1:9';
const formattedText = scenarioText('RT-a');
const unformattedText = formattedText
  .replaceAll(/^- (ID|Layer|Tags):/gm, '- **$1**:')
  .replace('- status', '*   status')
  .replaceAll('\n\n', '\n\n\n')
  .replaceAll('\n', '\r\n');
const invalidText = scenarioText('RT-wrong', { checks: ['nonsense'] });

t.test('files are formatted, and formatted files are not touched', async (t) => {
  const { vp, folder } = createWorkspace(t, noTarget, { 's/a.md': unformattedText, 's/b.md': formattedText });
  const before = statSync(join(folder, 's/b.md')).mtimeMs;
  t.same(await vp(['format', 's']), { code: 0, stdout: 'formatted: s/a.md\n1 formatted, 1 unchanged\n', stderr: '' });
  t.equal(readFileSync(join(folder, 's/a.md'), 'utf8'), formattedText);
  t.equal(statSync(join(folder, 's/b.md')).mtimeMs, before);
  t.same(readdirSync(join(folder, 's')), ['a.md', 'b.md'], 'nothing is left behind');
  t.same(await vp(['format', 's']), { code: 0, stdout: '0 formatted, 2 unchanged\n', stderr: '' });
});

t.test('the product’s own examples are formatted', async (t) => {
  const { vp, write } = createWorkspace(t, noTarget);
  const check = async (path: string) => {
    const { code, stdout } = await vp(['format', '--check', path]);
    t.match({ code, stdout }, { code: 0, stdout: /^0 would change, [1-9]\d* unchanged\n$/ }, path);
  };
  await check(join(import.meta.dirname, '../../../compose/example'));
  await check(write('guide.md', renderExampleScenario()));
});

t.test('--check writes nothing and exits 1 where a file would change', async (t) => {
  const { vp, folder } = createWorkspace(t, noTarget, { 's/a.md': unformattedText, 's/b.md': formattedText });
  const { code, stdout } = await vp(['format', 's', '--check']);
  t.equal(code, 1);
  t.equal(stdout, 'would change: s/a.md\n1 would change, 1 unchanged\n');
  t.equal(readFileSync(join(folder, 's/a.md'), 'utf8'), unformattedText);
  t.equal((await vp(['format', 's/b.md', '--check'])).code, 0);
});

t.test('a file with errors is reported and skipped, and the others are formatted', async (t) => {
  const { vp, folder } = createWorkspace(t, noTarget, { 's/a.md': unformattedText, 's/wrong.md': invalidText });
  const { code, stdout } = await vp(['format', 's', 'absent.md']);
  t.equal(code, 2);
  t.match(stdout, 'absent.md: error SCENARIO_FILE_MISSING');
  t.match(stdout, 's/wrong.md:18:3: error SCENARIO_CHECK_UNKNOWN');
  t.match(stdout, 'formatted: s/a.md\n1 formatted, 0 unchanged, 2 skipped\n');
  t.equal(readFileSync(join(folder, 's/wrong.md'), 'utf8'), invalidText);
  t.equal(readFileSync(join(folder, 's/a.md'), 'utf8'), formattedText);
});

t.test('mode and links of a file are preserved', async (t) => {
  const { vp, folder, write } = createWorkspace(t, noTarget, { 's/real.md': unformattedText });
  chmodSync(join(folder, 's/real.md'), 0o640);
  mkdirSync(join(folder, 'links'));
  symlinkSync('../s/real.md', join(folder, 'links/a.md'));
  t.equal((await vp(['format', 'links/a.md'])).code, 0);
  t.ok(lstatSync(join(folder, 'links/a.md')).isSymbolicLink());
  t.equal(readFileSync(join(folder, 's/real.md'), 'utf8'), formattedText);
  t.equal(statSync(join(folder, 's/real.md')).mode & 0o777, 0o640);
  write('s/real.md', formattedText);
});

t.test('a file that cannot be written is reported, and the exit code is 4', async (t) => {
  const name = `${'x'.repeat(240)}.md`;
  const { vp, folder } = createWorkspace(t, noTarget, { [name]: unformattedText });
  const { code, stdout } = await vp(['format', name]);
  t.equal(code, 4, 'the name leaves no room for the one of the copy beside it');
  t.match(stdout, `${name}: error SCENARIO_FILE_UNWRITABLE: ${name} cannot be written: ENAMETOOLONG`);
  t.match(stdout, '0 formatted, 0 unchanged, 1 skipped\n');
  t.equal(readFileSync(join(folder, name), 'utf8'), unformattedText);
});

t.test('variables of any name are allowed', async (t) => {
  const text = formattedText.replace('/api/v2/document', '/${TENANT}');
  const { vp } = createWorkspace(t, noTarget, { 'a.md': text });
  t.equal((await vp(['format', 'a.md', '--check'])).code, 0);
});

t.test('with --json there is one document', async (t) => {
  const { vp } = createWorkspace(t, noTarget, {
    's/a.md': unformattedText,
    's/b.md': formattedText,
    's/wrong.md': invalidText,
  });
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
