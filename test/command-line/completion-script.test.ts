import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { CommandEntry } from '../../src/command-line/command.ts';
import { type Command, command } from '../../src/command-line/command.ts';
import { completionScript } from '../../src/command-line/completion-script.ts';
import { completionCommand } from '../../src/commands/completion.ts';
import { exitCode } from '../../src/errors/exit-code.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

const base = { positionals: [], examples: [['vp', 'x']], run: async () => exitCode.done } as const;
const commands: readonly Command[] = [
  command({
    ...base,
    name: 'run',
    summary: "run it, it's good",
    flags: {
      jobs: { type: 'number', describe: '' },
      format: { type: 'string', describe: '', choices: ['text', 'junit'] },
      local: { type: 'boolean', describe: '' },
      hush: { type: 'boolean', describe: '', hidden: true },
    },
  }),
  command({ ...base, name: 'scenarios push', summary: '', flags: { all: { type: 'boolean', describe: '' } } }),
  command({ ...base, name: 'scenarios pull', summary: '', flags: {} }),
  command({ ...base, name: 'instances', summary: '', flags: { watch: { type: 'boolean', describe: '' } } }),
  command({ ...base, name: 'instances show', summary: '', flags: { deep: { type: 'boolean', describe: '' } } }),
];
const entries: CommandEntry[] = commands.map((entry) => ({
  name: entry.name,
  summary: entry.summary,
  load: async () => entry,
}));

/** What bash proposes for `line` with the cursor at its end. */
function proposals(folder: string, line: string): string[] {
  const script = join(folder, 'completion.bash');
  writeFileSync(script, completionScript(entries, commands));
  const program = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vp; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-u', '-c', program, script, ...line.split(' ')], { encoding: 'utf8' });
  return output.split('\n').filter(Boolean);
}

t.test('bash completes commands, subcommands, flags and choices', async (t) => {
  const folder = t.testdir();
  t.same(proposals(folder, 'vp '), ['run', 'scenarios', 'instances']);
  t.same(proposals(folder, 'vp r'), ['run']);
  t.same(proposals(folder, 'vp scenarios pu'), ['push', 'pull']);
  t.same(proposals(folder, 'vp run --'), ['--jobs', '--format', '--local', '--help', '--json', '--log-level']);
  t.same(proposals(folder, 'vp scenarios push --a'), ['--all']);
  t.same(proposals(folder, 'vp run --format '), ['text', 'junit']);
  t.same(proposals(folder, 'vp run RT-1 --log-level d'), ['debug']);
  t.same(proposals(folder, 'vp --json run --l'), ['--local', '--log-level']);
});

t.test('bash completes a command and its subcommands', async (t) => {
  const folder = t.testdir();
  t.same(proposals(folder, 'vp instances s'), ['show']);
  t.same(proposals(folder, 'vp instances --w'), ['--watch']);
  t.same(proposals(folder, 'vp instances show --d'), ['--deep']);
});

t.test('files and free values are left to bash', async (t) => {
  const folder = t.testdir();
  for (const line of ['vp run ', 'vp run --jobs ', 'vp run a ', 'vp nonsense ', 'vp scenarios push ']) {
    t.same(proposals(folder, line), [], line);
  }
});

t.test('an unknown shell is refused', async (t) => {
  const { environment } = memoryEnvironment();
  const invocation = { flags: {}, args: ['fish'], json: false, logLevel: 'info', environment } as const;
  await t.rejects(completionCommand.run(invocation), { code: 'COMMAND_WORD_UNEXPECTED' });
});

t.test('the script for zsh loads bashcompinit', async (t) => {
  const { environment, written } = memoryEnvironment();
  const invocation = { flags: {}, args: ['zsh'], json: false, logLevel: 'info', environment } as const;
  t.equal(await completionCommand.run(invocation), 0);
  t.match(written.stdout, 'bashcompinit');
});
