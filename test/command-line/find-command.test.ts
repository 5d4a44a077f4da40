import t from 'tap';
import type { CommandEntry } from '../../src/command-line/command.ts';
import { assertNextWord, findCommand, listNamesBelow } from '../../src/command-line/find-command.ts';

const entry = (name: string): CommandEntry => ({
  name,
  summary: name,
  load: () => Promise.reject(new Error('not to be loaded')),
});
const catalogue = ['run', 'runs', 'runs show', 'scenarios list', 'scenarios push', 'serve'].map(entry);
const find = (line: string) => findCommand(catalogue, line.split(' ').filter(Boolean));

type PositionalFixture = { readonly name: string; readonly describe: string; readonly required: boolean };
function findChecked(line: string, positionals: readonly PositionalFixture[] = [], entries = catalogue): void {
  const match = findCommand(entries, line.split(' '));
  if (match.kind === 'command') assertNextWord(entries, match, { positionals });
}

t.test('the command is found, and the rest are its arguments', async (t) => {
  t.match(find('run a --x b'), { kind: 'command', entry: { name: 'run' }, args: ['a', '--x', 'b'] });
  t.match(find('scenarios push a'), { kind: 'command', entry: { name: 'scenarios push' }, args: ['a'] });
});

t.test('the name that a command had in an earlier version works, and is not listed', async (t) => {
  const renamed = [{ ...entry('tokens create'), formerNames: ['tokens make'] }, entry('tokens list')];
  t.match(findCommand(renamed, ['tokens', '--json', 'make', 'a']), {
    kind: 'command',
    entry: { name: 'tokens create' },
    args: ['--json', 'a'],
  });
  t.same(listNamesBelow(renamed, 'tokens'), ['create', 'list']);
  t.throws(() => findChecked('tokens crate', [], renamed), { code: 'COMMAND_UNKNOWN' });
});

t.test('common flags may precede and separate the words of a command', async (t) => {
  t.match(find('--json --log-level debug run a'), {
    entry: { name: 'run' },
    args: ['--json', '--log-level', 'debug', 'a'],
  });
  t.match(find('--log-level=debug scenarios --no-json push a'), {
    entry: { name: 'scenarios push' },
    args: ['--log-level=debug', '--no-json', 'a'],
  });
});

t.test('a command may have subcommands', async (t) => {
  t.match(find('runs'), { kind: 'command', entry: { name: 'runs' }, args: [] });
  t.match(find('runs --instance show'), { entry: { name: 'runs' }, args: ['--instance', 'show'] });
  t.match(find('runs show a'), { entry: { name: 'runs show' }, args: ['a'] });
  t.match(find('runs --json --log-level warn show a'), {
    entry: { name: 'runs show' },
    args: ['--json', '--log-level', 'warn', 'a'],
  });
});

t.test('a first word alone is a group, and no word is the group of all commands', async (t) => {
  t.match(find('scenarios --json'), { kind: 'group', name: 'scenarios', args: ['--json'] });
  t.match(find(''), { kind: 'group', name: '' });
  t.same(listNamesBelow(catalogue, ''), ['run', 'runs', 'scenarios', 'serve']);
  t.same(listNamesBelow(catalogue, 'scenarios'), ['list', 'push']);
});

t.test('a group lists by itself, and a command that lists may be followed by the word', async (t) => {
  t.match(find('scenarios'), { kind: 'group', list: { name: 'scenarios list' } });
  t.match(find('scenarios --instance a'), { entry: { name: 'scenarios list' }, args: ['--instance', 'a'] });
  t.match(find('--json scenarios RT-one'), { entry: { name: 'scenarios list' }, args: ['--json', 'RT-one'] });
  t.match(find('runs list --json'), { entry: { name: 'runs' }, args: ['--json'] });
  t.match(find('runs --json list'), { entry: { name: 'runs' }, args: ['--json'] }, 'a common flag before it');
  t.match(
    find('runs list show x'),
    { entry: { name: 'runs' }, args: ['show', 'x'], nextWord: 'show' },
    'no subcommand',
  );
  t.match(findCommand([entry('new'), entry('new scenario')], ['new', 'list']), {
    entry: { name: 'new' },
    args: ['list'],
  });
  t.match(find('run list'), { entry: { name: 'run' }, args: ['list'] }, 'a command without subcommands');
  t.match(findCommand([entry('audit search')], ['audit']), { kind: 'group', list: undefined });
});

t.test('a name behind a group whose list takes none was meant as a subcommand', async (t) => {
  const match = find('scenarios shop');
  if (match.kind !== 'command') throw new Error('a group');
  t.throws(() => assertNextWord(catalogue, match, { positionals: [] }), {
    code: 'COMMAND_UNKNOWN',
    message: /`vp scenarios shop`/,
  });
  t.doesNotThrow(() =>
    assertNextWord(catalogue, match, { positionals: [{ name: 'hub', describe: 'hub', required: true }] }),
  );
});

t.test(
  'a word behind a group whose list takes one argument is that argument, unless it looks like a subcommand',
  async (t) => {
    const approvals = ['list', 'show', 'approve', 'deny'].map((name) => entry(`approvals ${name}`));
    const check = (line: string) => findChecked(line, [{ name: 'hub', describe: 'slug', required: true }], approvals);
    t.doesNotThrow(() => check('approvals acme'));
    t.doesNotThrow(() => check('approvals acme --all'));
    t.throws(() => check('approvals shop'), {
      code: 'COMMAND_UNKNOWN',
      cure: /did you mean `show`\? For hub shop write `vp approvals list shop`; see/,
    });
    t.throws(() => check('approvals reject acme'), {
      code: 'COMMAND_UNKNOWN',
      message: /there is no command `vp approvals reject`/,
      cure: /did you mean `deny`\?/,
    });
    t.throws(() => check('approvals reject'), {
      code: 'COMMAND_UNKNOWN',
      cure: /did you mean `deny`\? For hub reject write `vp approvals list reject`; see/,
    });
    t.doesNotThrow(() => check('approvals update'), 'no command of the group is another word for it');
    t.throws(() => check('approvals take acme'), {
      message: /there is no command `vp approvals take`/,
      cure: /`vp approvals` has list, show, approve, deny; see/,
    });
  },
);

t.test('for an unknown command a similar one is suggested', async (t) => {
  t.throws(() => find('srve'), { code: 'COMMAND_UNKNOWN', message: /`vp srve`/, cure: /`serve`.*`vp --help`/ });
  t.throws(() => findChecked('scenarios pusch'), {
    code: 'COMMAND_UNKNOWN',
    message: /`vp scenarios pusch`/,
    cure: /`push`.*`vp scenarios --help`/,
  });
  t.throws(() => find('rnu'), { message: /`vp rnu`/, cure: /did you mean `run`\?/ });
  t.throws(() => findChecked('scenarios psuh'), { message: /`vp scenarios psuh`/, cure: /did you mean `push`\?/ });
  t.throws(() => find('constructor'), { code: 'COMMAND_UNKNOWN' });
});

t.test('a word behind a command that takes none was meant as a subcommand', async (t) => {
  const check = findChecked;
  t.throws(() => check('runs sho --help'), { code: 'COMMAND_UNKNOWN', message: /`vp runs sho`/, cure: /`show`/ });
  t.throws(() => check('runs --json sho'), { code: 'COMMAND_UNKNOWN' });
  t.doesNotThrow(() => check('runs --instance sho'), 'the value of a flag');
  t.doesNotThrow(() => check('runs sho', [{ name: 'run', describe: 'id', required: false }]));
  t.doesNotThrow(() => check('run sho'), 'a command without subcommands');
});

t.test('a flag before the command must be a common flag', async (t) => {
  t.throws(() => find('--port 1 serve'), { code: 'FLAG_UNKNOWN', message: '`vp` has no flag --port' });
  t.throws(() => find('--jsno run'), { code: 'FLAG_UNKNOWN', cure: /`--json`/ });
  t.throws(() => find('-- run'), { code: 'FLAG_UNKNOWN' });
});
