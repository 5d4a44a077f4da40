/** `vp validate`, from the line to what is written and the exit code. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { maxTextLength } from '../../../src/scenario/text-limits.ts';
import { eventually } from '../../eventually.ts';
import { createWorkspace, firstCheckLine, scenarioText } from '../test-workspace.ts';

const noTarget = 'http://127.0.0.1:9';
const invalidText = scenarioText('RT-wrong', { checks: ['status=200', 'body hsa data'] });

t.test('valid scenarios are counted and exit 0', async (t) => {
  const { vp } = createWorkspace(t, noTarget, {
    'scenarios/a.md': scenarioText('RT-a'),
    'scenarios/deeper/b.md': scenarioText('RT-b'),
    'scenarios/deeper/notes.txt': 'not a scenario',
    'scenarios/node_modules/c.md': 'not a scenario',
    'scenarios/.hidden/d.md': 'not a scenario',
    'scenarios/.e.md': 'not a scenario',
  });
  t.same(await vp(['validate', 'scenarios']), { code: 0, stdout: '2 scenarios: valid\n', stderr: '' });
  t.same(await vp(['validate', 'scenarios/a.md', 'scenarios']), {
    code: 0,
    stdout: '2 scenarios: valid\n',
    stderr: '',
  });
});

t.test('without a path the scenarios of the project are validated', async (t) => {
  for (const folder of ['scenarios', 'test/scenarios']) {
    const { vp } = createWorkspace(t, noTarget, {
      [`${folder}/wrong.md`]: invalidText,
      'other/a.md': scenarioText('RT-a'),
    });
    t.match(await vp(['validate']), { code: 2, stdout: new RegExp(`^${folder}/wrong\\.md:.*SCENARIO_CHECK_UNKNOWN`) });
  }
  const { vp } = createWorkspace(t, noTarget, {});
  t.match(await vp(['validate']), {
    code: 2,
    stdout: /scenarios.*SCENARIO_FILE_MISSING|SCENARIO_FILE_MISSING.*scenarios/s,
  });
});

t.test(
  'an error is reported with file, line, column, the line with carets and the fix, and the exit code is 2',
  async (t) => {
    const { vp } = createWorkspace(t, noTarget, {
      'scenarios/a.md': scenarioText('RT-a'),
      'scenarios/wrong.md': invalidText,
    });
    const { code, stdout, stderr } = await vp(['validate', 'scenarios']);
    t.equal(code, 2);
    t.equal(stderr, '');
    t.equal(
      stdout,
      `scenarios/wrong.md:${firstCheckLine + 1}:3: error SCENARIO_CHECK_UNKNOWN: \`body hsa data\` is not a check
   ${firstCheckLine + 1} | - body hsa data
      |   ^^^^^^^^^^^^^
      fix: did you mean \`body has data\`?

2 scenarios: 1 valid, 1 not (1 error)
`,
    );
  },
);

t.test('warnings are reported and do not change the exit code', async (t) => {
  const text = scenarioText('RT-a').replace('X-Request-Id', 'X-Other');
  const { vp } = createWorkspace(t, noTarget, { 'a.md': text });
  const { code, stdout } = await vp(['validate', 'a.md']);
  t.equal(code, 0);
  t.match(stdout, /^a\.md:11:1: warning SCENARIO_REQUEST_ID_MISSING: /);
  t.match(stdout, '1 scenario: valid (1 warning)\n');
});

t.test('other Markdown files of a folder are ignored, and mentioned if there are no scenarios', async (t) => {
  const { vp } = createWorkspace(t, noTarget, {
    'test/README.md': '# Tests\n\n```markdown\n# Scenario: GET x\n\n## Metadata\n\n## TRIGGER\n```\n',
    'test/a.md': scenarioText('RT-a'),
    'test/deeper/notes.md': '## Scenarios\n\n## TIMEOUT\n\nlong\n',
    'only/README.md': '# Scenario tests of the shop\n',
    'only/CHANGES.md': '',
    'one/README.md': 'text',
  });
  t.same(await vp(['validate', 'test']), { code: 0, stdout: '1 scenario: valid\n', stderr: '' });
  const emptyFolders = await vp(['validate', 'only', 'one']);
  t.equal(emptyFolders.code, 2);
  t.match(
    emptyFolders.stdout,
    'only: error SCENARIO_FOLDER_EMPTY: there is no scenario in only: 2 Markdown files there have no',
  );
  t.match(emptyFolders.stdout, 'there is no scenario in one: 1 Markdown file there has no title `# Scenario: …`\n');
  const named = await vp(['validate', 'test', 'test/README.md']);
  t.equal(named.code, 2, 'a file that is named is meant');
  t.match(named.stdout, /test\/README\.md:1:1: error/);
});

t.test('a scenario with an invalid or missing title is still reported in a folder', async (t) => {
  const [, ...untitled] = scenarioText('RT-a').split('\n');
  const titles = ['## Scenario: GET x', '#Scenario: GET x', '# scenario: x', '# Scenario GET x', '# GET x', ''];
  const files = titles.map((title, index) => [`test/${index}.md`, [title, ...untitled].join('\n')]);
  const { vp } = createWorkspace(t, noTarget, Object.fromEntries(files));
  const { stdout } = await vp(['validate', 'test', '--json']);
  t.same(
    JSON.parse(stdout).files.map(({ file, valid }: { file: string; valid: boolean }) => [file, valid]),
    files.map(([file]) => [file, false]),
  );
});

t.test('the subfolder `scenarios` of a folder is read, as `vp run --local --test-dir` does', async (t) => {
  const { vp } = createWorkspace(t, noTarget, {
    'test/scenarios/a.md': scenarioText('RT-a'),
    'test/draft.md': scenarioText('RT-draft', { checks: ['nonsense'] }),
  });
  t.same(await vp(['validate', 'test']), { code: 0, stdout: '1 scenario: valid\n', stderr: '' });
  t.equal((await vp(['validate', 'test/draft.md'])).code, 2);
});

t.test('for a config the right command is suggested', async (t) => {
  const { vp } = createWorkspace(t, noTarget);
  const { code, stdout } = await vp(['validate', 'product/platform-config.yaml']);
  t.equal(code, 2);
  t.match(stdout, 'error SCENARIO_FILE_YAML: product/platform-config.yaml is YAML, and scenarios are Markdown');
  t.match(stdout, 'fix: if it is the config, check it with `vp validate-config product`');
});

t.test('two files with one ID are an error at the second', async (t) => {
  const { vp } = createWorkspace(t, noTarget, { 's/a.md': scenarioText('RT-same'), 's/b.md': scenarioText('RT-same') });
  const { code, stdout } = await vp(['validate', 's']);
  t.equal(code, 2);
  t.match(
    stdout,
    /^s\/b\.md:5:7: error SCENARIO_ID_DOUBLED: `RT-same` is also the ID in s\/a\.md\n.*\n +\| {7}\^{7}\n/,
  );
});

t.test('unreadable files are reported, and the others are validated', async (t) => {
  const { vp, folder } = createWorkspace(t, noTarget, { 's/a.md': scenarioText('RT-a'), 's/wrong.md': invalidText });
  writeFileSync(join(folder, 's/latin1.md'), Buffer.from('# Scenario: GET Über', 'latin1'));
  writeFileSync(join(folder, 's/picture.md'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
  writeFileSync(join(folder, 's/null.md'), '# Scenario: GET \0');
  writeFileSync(join(folder, 's/long.md'), 'x'.repeat(5_000_000));
  writeFileSync(join(folder, 's/rather-long.md'), `# Scenario: GET ${'x'.repeat(maxTextLength)}`);
  mkdirSync(join(folder, 's/folder.md'));
  mkdirSync(join(folder, 'empty'));
  symlinkSync('nowhere', join(folder, 's/dangling.md'));
  const { code, stdout } = await vp(['validate', 's', 'absent.md', 'empty']);
  t.equal(code, 2);
  t.match(stdout, 's/latin1.md: error SCENARIO_FILE_NOT_UTF8: s/latin1.md is not UTF-8 text\n      fix: ');
  t.match(stdout, 's/picture.md: error SCENARIO_FILE_NOT_UTF8');
  t.match(stdout, 's/null.md:1:17: error SCENARIO_BINARY');
  t.match(stdout, 's/long.md: error SCENARIO_FILE_TOO_LARGE: s/long.md has 5000000 bytes');
  t.match(stdout, 's/rather-long.md:1:1: error SCENARIO_TOO_LARGE');
  t.match(stdout, 's/dangling.md: error SCENARIO_FILE_UNREADABLE');
  t.match(stdout, 'absent.md: error SCENARIO_FILE_MISSING');
  t.match(stdout, 'empty: error SCENARIO_FOLDER_EMPTY');
  t.match(stdout, 's/wrong.md:19:3: error SCENARIO_CHECK_UNKNOWN');
  t.match(stdout, '9 scenarios: 1 valid, 8 not (9 errors)\n');
  t.match((await vp(['validate', 'empty'])).stdout, '\nno scenario to check (1 error)\n');
});

// Root can read everything.
const isRoot = process.getuid?.() === 0;
if (!isRoot) {
  t.test('an unreadable folder is reported with the others', async (t) => {
    const { vp, folder } = createWorkspace(t, noTarget, {
      's/a.md': scenarioText('RT-a'),
      's/shut/b.md': scenarioText('RT-b'),
    });
    chmodSync(join(folder, 's/shut'), 0);
    t.teardown(() => chmodSync(join(folder, 's/shut'), 0o755));
    const { code, stdout } = await vp(['validate', 's']);
    t.equal(code, 2);
    t.match(stdout, 's/shut: error SCENARIO_FILE_UNREADABLE: s/shut cannot be read: EACCES');
    t.match(stdout, '2 scenarios: 1 valid, 1 not (1 error)');
  });
}

t.test('with --json there is one document', async (t) => {
  const { vp } = createWorkspace(t, noTarget, { 's/a.md': scenarioText('RT-a'), 's/wrong.md': invalidText });
  const { code, stdout } = await vp(['validate', 's', 'absent.md', '--json']);
  t.equal(code, 2);
  const { cure, ...rest } = {
    cure: 'did you mean `body has data`?',
    code: 'SCENARIO_CHECK_UNKNOWN',
    severity: 'error',
  };
  t.match(JSON.parse(stdout), {
    valid: false,
    errors: 2,
    warnings: 0,
    files: [
      { file: 'absent.md', valid: false, id: null, diagnostics: [{ code: 'SCENARIO_FILE_MISSING', line: null }] },
      { file: 's/a.md', valid: true, id: 'RT-a', diagnostics: [] },
      {
        file: 's/wrong.md',
        valid: false,
        id: null,
        diagnostics: [{ ...rest, cure, line: 19, column: 3, end_line: 19, end_column: 16 }],
      },
    ],
  });
});

t.test('carets are below the error whatever precedes it', async (t) => {
  const unusualText = scenarioText('RT-a', { checks: ['body has 名前\tfoo'] });
  const { vp } = createWorkspace(t, noTarget, {
    'a.md': `\uFEFF${unusualText.replaceAll('\n', '\r\n').replace('# Scenario', '# Scenari')}`,
  });
  const { stdout } = await vp(['validate', 'a.md']);
  t.match(stdout, '    1 | # Scenari: GET RT-a\r\n'.replace('\r', ''));
  t.match(stdout, `      | ${'^'.repeat('# Scenari: GET RT-a'.length)}\n`);
  t.match(stdout, `      | ${' '.repeat('- body has '.length + 4 + 2)}^^^\n`);
});

t.test('control characters of a file do not reach the terminal', async (t) => {
  const { vp } = createWorkspace(t, noTarget, {
    'a.md': scenarioText('RT-a', { checks: ['body has \u001b]0;x\u0007 \u202e'] }),
  });
  const { stdout } = await vp(['validate', 'a.md']);
  t.match(stdout, 'SCENARIO_CONTROL_CHARACTER');
  for (const sign of ['\u001b', '\u0007', '\u202e']) t.notOk(stdout.includes(sign));
});

t.test('names of variables come from --variable', async (t) => {
  const text = scenarioText('RT-a', { path: '/${TENANT}' });
  const { vp } = createWorkspace(t, noTarget, { 'a.md': text });
  t.match((await vp(['validate', 'a.md'])).stdout, 'SCENARIO_PLACEHOLDER_UNKNOWN');
  t.equal((await vp(['validate', 'a.md', '--variable', 'TENANT'])).code, 0);
});

t.test('names of variables come from the config', async (t) => {
  const { vp, write } = createWorkspace(t, noTarget, {
    'a.md': scenarioText('RT-a', { path: '/${TENANT}' }),
    'secret.md': scenarioText('RT-b', { path: '/${API_TOKEN}' }),
    'unlisted.md': scenarioText('RT-c', { path: '/${OTHER}' }),
    'product/.env': 'API_TOKEN=x\nTENANT=acme\nOTHER=1\n',
  });
  const config =
    'project: {name: shop}\ntargets:\n  http: {base_url: "http://app:1"}\n  auth: {type: bearer, bearer_token: "${API_TOKEN}"}\nscenarios: {variables: [TENANT]}\n';
  write('product/platform-config.yaml', config);
  const line = ['validate', '--product-dir', 'product'];
  t.equal((await vp([...line, 'a.md'])).stdout, '1 scenario: valid\n');
  t.match((await vp([...line, 'secret.md'])).stdout, 'SCENARIO_PLACEHOLDER_SECRET');
  t.match((await vp([...line, 'unlisted.md'])).stdout, 'SCENARIO_PLACEHOLDER_UNLISTED');
  t.equal((await vp([...line, 'unlisted.md', '--variable', 'OTHER'])).code, 0);
  t.equal((await vp(['validate', 'a.md'])).code, 0, 'the config of ./product is found');
  t.match((await vp(['validate-config'])).stdout, /product.platform-config.yaml: valid/);
  write('platform-config.yaml', config);
  write('.env', 'API_TOKEN=x\nTENANT=acme\n');
  t.equal((await vp(['validate', 'a.md'])).code, 0, 'the config of this folder is found');
  write('platform-config.yaml', 'project: 1\n');
  t.equal((await vp(['validate', 'a.md'])).code, 0, 'a config with errors allows all names');
  t.equal((await vp(['validate', 'a.md', '--product-dir', '.'])).code, 2, 'unless it was named');
});

t.test('--watch validates again after a change, and Ctrl-C ends it with 130', async (t) => {
  const { start, write, folder } = createWorkspace(t, noTarget, {
    's/a.md': scenarioText('RT-a'),
    'one.md': scenarioText('RT-b'),
  });
  const { ended, written, interrupt } = start(['validate', 's', 'one.md', '--watch']);
  const waitForOutput = async (text: string): Promise<void> => {
    t.ok(await eventually(() => written.stdout, { until: (output) => output.endsWith(text), description: text }), text);
  };
  await waitForOutput('2 scenarios: valid\n');
  write('s/wrong.md', invalidText);
  await waitForOutput('3 scenarios: 2 valid, 1 not (1 error)\n');
  rmSync(join(folder, 's/wrong.md'));
  await waitForOutput('2 scenarios: valid\n');
  write('one.md', invalidText);
  await waitForOutput('2 scenarios: 1 valid, 1 not (1 error)\n');
  t.notMatch(written.stdout, '\u001b', 'nothing but text without a terminal');
  interrupt();
  t.equal(await ended, 130);
});

t.test('--watch --json writes one document on a line for each validation', async (t) => {
  const { start, write } = createWorkspace(t, noTarget, { 's/a.md': scenarioText('RT-a') });
  const { ended, written, interrupt } = start(['validate', 's', '--watch', '--json']);
  const waitForDocuments = async (count: number): Promise<unknown[]> => {
    const output = await eventually(() => written.stdout, { until: (text) => text.split('\n').length > count });
    return output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  t.match(await waitForDocuments(1), [{ valid: true }]);
  write('s/wrong.md', invalidText);
  t.match((await waitForDocuments(2)).at(-1), { valid: false, errors: 1 });
  interrupt();
  t.equal(await ended, 130);
});
