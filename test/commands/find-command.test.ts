import t from 'tap';
import type { CatalogueEntry } from '../../src/commands/catalogue.ts';
import { findCommand, namesBelow } from '../../src/commands/find-command.ts';

const entry = (name: string): CatalogueEntry => ({
  name,
  summary: name,
  load: () => Promise.reject(new Error('not to be loaded')),
});
const catalogue = ['run', 'runs', 'runs show', 'scenarios list', 'scenarios push', 'serve'].map(entry);
const find = (line: string) => findCommand(catalogue, line.split(' ').filter(Boolean));

t.test('the words of a command are found, the rest are its arguments', async (t) => {
  t.match(find('run a --x b'), { kind: 'command', entry: { name: 'run' }, args: ['a', '--x', 'b'] });
  t.match(find('scenarios push a'), { kind: 'command', entry: { name: 'scenarios push' }, args: ['a'] });
});

t.test('common flags may stand before and between the words', async (t) => {
  t.match(find('--json --log-level debug run a'), {
    entry: { name: 'run' },
    args: ['--json', '--log-level', 'debug', 'a'],
  });
  t.match(find('--log-level=debug scenarios --no-json push a'), {
    entry: { name: 'scenarios push' },
    args: ['--log-level=debug', '--no-json', 'a'],
  });
});

t.test('a command may have commands below it', async (t) => {
  t.match(find('runs'), { kind: 'command', entry: { name: 'runs' }, args: [] });
  t.match(find('runs --instance show'), { entry: { name: 'runs' }, args: ['--instance', 'show'] });
  t.match(find('runs show a'), { entry: { name: 'runs show' }, args: ['a'] });
  t.match(find('runs --json --log-level warn show a'), {
    entry: { name: 'runs show' },
    args: ['--json', '--log-level', 'warn', 'a'],
  });
});

t.test('the first word of two alone is a group, and no word is the group of all', async (t) => {
  t.match(find('scenarios --json'), { kind: 'group', name: 'scenarios', args: ['--json'] });
  t.match(find(''), { kind: 'group', name: '' });
  t.same(namesBelow(catalogue, ''), ['run', 'runs', 'scenarios', 'serve']);
  t.same(namesBelow(catalogue, 'scenarios'), ['list', 'push']);
});

t.test('an unknown command names the one that was probably meant', async (t) => {
  t.throws(() => find('srve'), { code: 'COMMAND_UNKNOWN', message: /`vp srve`/, cure: /`serve`.*`vp --help`/ });
  t.throws(() => find('scenarios pusch'), {
    code: 'COMMAND_UNKNOWN',
    message: /`vp scenarios pusch`/,
    cure: /`push`.*`vp scenarios --help`/,
  });
  t.throws(() => find('rnu'), { message: /`vp rnu`/, cure: /did you mean `run`\?/ });
  t.throws(() => find('scenarios psuh'), { message: /`vp scenarios psuh`/, cure: /did you mean `push`\?/ });
  t.throws(() => find('constructor'), { code: 'COMMAND_UNKNOWN' });
});

t.test('a flag of no command before the command is refused', async (t) => {
  t.throws(() => find('--port 1 serve'), { code: 'FLAG_UNKNOWN', message: '`vp` has no flag --port' });
  t.throws(() => find('--jsno run'), { code: 'FLAG_UNKNOWN', cure: /`--json`/ });
  t.throws(() => find('-- run'), { code: 'FLAG_UNKNOWN' });
});
