import t from 'tap';
import { type Command, type CommandEntry, command } from '../../src/command-line/command.ts';
import { completeLine } from '../../src/command-line/completion-candidates.ts';
import { exitCode } from '../../src/errors/exit-code.ts';

const base = { examples: [['vp', 'x']], run: async () => exitCode.done } as const;
const file = { name: 'file', describe: 'a file', required: true, many: true } as const;
const commands: readonly Command[] = [
  command({
    ...base,
    name: 'run',
    summary: 'run it',
    positionals: [{ name: 'scenario', describe: '', required: false, many: true, kind: 'scenario-or-file' }],
    flags: {
      jobs: { type: 'number', describe: 'how many', placeholder: '<n>' },
      format: { type: 'string', describe: '', choices: ['text', 'junit'] },
      local: { type: 'boolean', describe: '' },
      tag: { type: 'strings', describe: '', kind: 'tag' },
      instance: { type: 'string', describe: '', kind: 'instance', alias: 'i' },
      ca: { type: 'string', describe: '', placeholder: '<file.pem>' },
      hush: { type: 'boolean', describe: '', hidden: true },
    },
  }),
  command({ ...base, name: 'scenarios push', summary: '', positionals: [file], flags: {} }),
  command({ ...base, name: 'scenarios pull', summary: '', positionals: [], flags: {} }),
  command({ ...base, name: 'instances', summary: '', positionals: [], flags: {} }),
  command({
    ...base,
    name: 'instances show',
    summary: '',
    positionals: [{ name: 'id', describe: '', required: true, kind: 'instance' }],
    flags: {},
  }),
  command({ ...base, name: 'secret', summary: '', positionals: [], flags: {} }),
];
const catalogue: CommandEntry[] = commands.map((entry) => ({ ...entry, load: async () => entry }));
const values = { instance: ['shop', 'bank'], tag: ['smoke', 'slow'], 'scenario-or-file': ['RT-1', 'RT-2'] };

async function propose(line: string): Promise<string> {
  const { candidates, files } = await completeLine(line.split(' '), {
    catalogue,
    internal: ['secret'],
    listValues: async (kind, flag) => {
      const named = flag('instance');
      const known: readonly string[] =
        kind === 'instance' || kind === 'tag' || kind === 'scenario-or-file' ? values[kind] : [];
      return known.map((value) => ({ value: named === 'bank' ? `bank-${value}` : value, describe: 'it' }));
    },
  });
  return [...candidates.map(({ value }) => value), ...(files ? [':files'] : [])].join(' ');
}

t.test('commands, subcommands, flags, choices, ids and files are completed', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'run scenarios instances'],
    ['r', 'run'],
    ['scenarios ', 'push pull'],
    ['scenarios pu', 'push pull'],
    ['scenarios push ', ':files'],
    ['run --f', '--format'],
    ['run --', '--jobs --format --local --tag --instance --ca --help --json --log-level'],
    ['run --local --', '--jobs --format --tag --instance --ca --help --json --log-level'],
    ['run --tag smoke --ta', '--tag'],
    ['run --format ', 'text junit'],
    ['run --format=j', '--format=junit'],
    ['run --format = j', '--format=junit'],
    ['run --format=text R', 'RT-1 RT-2 :files'],
    ['run --log-level d', 'debug'],
    ['run RT-1 --log-level d', 'debug'],
    ['--log-level debug ru', 'run'],
    ['--json run --l', '--local --log-level'],
    ['run --tag s', 'smoke slow'],
    ['run ', 'RT-1 RT-2 :files'],
    ['run --jobs ', ''],
    ['run --ca ', ':files'],
    ['run -i ', 'shop bank'],
    ['run --instance bank ', 'bank-RT-1 bank-RT-2 :files'],
    ['run --instance=bank ', 'bank-RT-1 bank-RT-2 :files'],
    ['instances ', 'show'],
    ['instances show ', 'shop bank'],
    ['instances show shop ', ''],
    ['nonsense ', ''],
    ['secr', ''],
  ];
  for (const [line, expected] of cases) t.equal(await propose(line), expected, line);
});
