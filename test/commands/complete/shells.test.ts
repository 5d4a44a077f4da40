/**
 * The completion scripts in the shells themselves; `vp complete` answers from a control plane. Shells that are not installed are
 * skipped; with `VP_TEST_SHELLS=required` they fail.
 */
import { execFile } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { Language, Parser } from 'web-tree-sitter';
import { completionScripts } from '../../../src/command-line/completion-script.ts';
import { getSourceVariables, sourceOptions } from '../../source-program.ts';
import { startTestControlPlane, type TestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, type Workspace } from '../test-workspace.ts';

const run = promisify(execFile);

type Fixture = {
  readonly workspace: Workspace;
  readonly plane: TestControlPlane;
  readonly variables: NodeJS.ProcessEnv;
};

async function createFixture(t: Test): Promise<Fixture> {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', { 'notes.md': 'x' });
  const plane = await startTestControlPlane(t, workspace);
  await plane.registerInstance('shop');
  await plane.registerInstance('bank');
  await plane.writeScenario('shop', 'RT-GET-a', scenarioText('RT-GET-a', { tags: 'smoke' }));
  const program = join(workspace.folder, 'bin/vp');
  const start = [process.execPath, ...sourceOptions, resolve('bin/vp.ts')];
  workspace.write('bin/vp', `#!/bin/sh\nexec ${start.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(program, 0o755);
  const { PATH } = process.env;
  const variables = {
    ...{ PATH: `${join(workspace.folder, 'bin')}:${PATH}`, HOME: join(workspace.folder, 'home'), VP_INSTANCE: 'shop' },
    ...{ VP_CONTROL_PLANE: plane.url, LC_ALL: 'C.UTF-8', ...getSourceVariables() },
  };
  return { workspace, plane, variables };
}

/** Lines and what is proposed for each. */
const cases: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ['vp scen', ['scenarios']],
  ['vp runs ', ['show', 'cancel']],
  ['vp run --instance ', ['bank', 'shop']],
  ['vp run RT', ['RT-GET-a']],
  ['vp run --tag s', ['smoke']],
  ['vp completion po', ['powershell']],
];

const maxAttempts = 10;

/** A control plane that does not answer within a second is not waited for, which happens on a busy machine. */
async function proposeInTime(fixture: Fixture, propose: () => ReturnType<Propose>): ReturnType<Propose> {
  for (let attempt = 1; ; attempt += 1) {
    const output = await propose();
    if (output.stdout.trim() !== '' || output.stderr !== '' || attempt === maxAttempts) return output;
    rmSync(join(fixture.workspace.folder, 'home/.cache'), { recursive: true, force: true });
  }
}

async function compare(t: Test, fixture: Fixture, shell: keyof typeof completionScripts, propose: Propose) {
  const script = join(fixture.workspace.folder, `script.${shell}`);
  writeFileSync(script, completionScripts[shell]);
  const options = { cwd: fixture.workspace.folder, env: fixture.variables };
  for (const [line, expected] of cases) {
    const { stdout, stderr } = await proposeInTime(fixture, () => propose(script, line, options));
    t.equal(stderr, '', `${line}: nothing is written to the terminal`);
    t.same(stdout.split('\n').filter(Boolean).sort(), [...expected].sort(), line);
  }
  await fixture.plane.stop();
  const { stdout, stderr } = await propose(script, 'vp tokens create x --hub ', options);
  t.same({ stdout: stdout.trim(), stderr }, { stdout: '', stderr: '' }, 'nothing, where nothing listens');
}

type Propose = (
  script: string,
  line: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
) => Promise<{ stdout: string; stderr: string }>;

const proposeInBash: Propose = (script, line, options) => {
  const program = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vp; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run('bash', ['--norc', '--noprofile', '-u', '-c', program, script, ...line.split(' ')], options);
};

const proposeInZsh: Propose = (script, line, options) => {
  const stubs = `compdef() { : }; _files() { : }; _describe() { local each; for each in "\${(@P)2}"; print -r -- "\${each%%:*}" }`;
  const program = `${stubs}; source "$0"; words=("$@"); CURRENT=$#; _vp`;
  return run('zsh', ['-f', '-c', program, script, ...line.split(' ')], options);
};

const proposeInFish: Propose = (script, line, options) => {
  const program = 'source $argv[1]; for each in (complete -C $argv[2]); string split -f1 \\t -- $each; end; true';
  return run('fish', ['--no-config', '-c', program, script, line], options);
};

for (const [shell, propose] of [
  ['bash', proposeInBash],
  ['zsh', proposeInZsh],
  ['fish', proposeInFish],
] as const) {
  const isInstalled = await run(shell, ['-c', 'true']).then(
    () => true,
    () => false,
  );
  const isRequired = process.env.VP_TEST_SHELLS === 'required';
  const skip = isInstalled || isRequired ? false : `${shell} is not installed`;
  t.test(`${shell} proposes commands, ids, tags and instances`, { skip }, async (t) => {
    await compare(t, await createFixture(t), shell, propose);
  });
}

t.test('files are proposed where they fit', async (t) => {
  const fixture = await createFixture(t);
  const script = join(fixture.workspace.folder, 'script.bash');
  writeFileSync(script, completionScripts.bash);
  const options = { cwd: fixture.workspace.folder, env: fixture.variables };
  t.equal((await proposeInBash(script, 'vp validate no', options)).stdout, 'notes.md\n');
});

async function hasGrammarErrors(text: string): Promise<boolean | undefined> {
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load('node_modules/tree-sitter-powershell/tree-sitter-powershell.wasm'));
  return parser.parse(text)?.rootNode.hasError;
}

// PowerShell itself is in no package for this test: the script has not been run in one.
t.test('the script for PowerShell is in the grammar of PowerShell', async (t) => {
  const { powershell } = completionScripts;
  t.equal(await hasGrammarErrors(powershell), false);
  t.match(powershell, '\n}\n');
  t.equal(await hasGrammarErrors(powershell.replace('\n}\n', '\n')), true, 'a missing bracket is noticed');
  t.equal(await hasGrammarErrors(powershell.replace('"`t"', '"`t')), true, 'an open string is noticed');
});

t.test('the script for PowerShell registers a native completer that asks for a new word', async (t) => {
  const { powershell } = completionScripts;
  t.match(powershell, "Register-ArgumentCompleter -Native -CommandName @('vp', 'vp.exe')");
  t.match(powershell, '& vp complete @next -- @words 2>$null');
  const { workspace } = await createFixture(t);
  t.match(await workspace.vp(['complete', '--next', '--', 'runs']), { code: 0, stdout: /^show\t/m });
});

t.test('local scenarios are proposed without a control plane, also for a damaged configuration', async (t) => {
  const files = { 'scenarios/a.md': scenarioText('RT-GET-local', { tags: 'near' }), 'scenarios/b.md': '# nothing' };
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', files);
  workspace.write('home/.config/vp/preferences.json', 'damaged');
  t.match(await workspace.vp(['complete', '--', 'run', '--local', 'RT']), {
    code: 0,
    stdout: 'RT-GET-local\tGET RT-GET-local\n:files\n',
    stderr: '',
  });
  t.match(await workspace.vp(['complete', '--', 'run', '--tag', '']), { code: 0, stdout: 'near\n', stderr: '' });
  t.match(await workspace.vp(['complete', '--', 'instances', 'show', '']), { code: 0, stdout: '', stderr: '' });
});

t.test('an unknown shell is refused with those that are known', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  t.match(await workspace.vp(['completion', 'tcsh']), {
    code: 2,
    stderr: /must be one of bash, zsh, fish, powershell/,
  });
});
