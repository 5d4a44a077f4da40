import t from 'tap';
import { command } from '../../src/commands/command.ts';
import { roleFlags } from '../../src/commands/common-flags.ts';
import { catalogueHelp, commandHelp } from '../../src/commands/help.ts';

const example = command({
  name: 'example go',
  summary: 'go for an example',
  positionals: [
    { name: 'what', describe: 'what to go for', required: true },
    { name: 'more', describe: 'and further', required: false, many: true },
  ],
  flags: {
    ...roleFlags(7700),
    report: { type: 'strings', describe: 'write a report', placeholder: '<file>' },
    mode: { type: 'string', describe: 'how', choices: ['fast', 'slow'], alias: 'm' },
    hush: { type: 'boolean', describe: 'not shown', hidden: true },
    quiet: { type: 'boolean', describe: 'say less', default: false },
  },
  examples: [['vp example go far', 'goes far']],
  notes: 'Files are written beside the scenario.',
  run: async () => 0,
});

t.test('the help of a command tells all there is to know', async (t) => {
  const help = await commandHelp(example, 100);
  t.match(help, 'vp example go <what> [more]… [flags]\n\ngo for an example\n');
  t.match(help, /what +what to go for/);
  t.match(help, /--port +port to listen on; 0 takes a free one \[VP_PORT\] +\[number\] \[default: 7700\]/);
  t.match(help, /--report +write a report; may be repeated/);
  t.match(help, /-m, --mode +how +\[string\] \[choices: "fast", "slow"\]/);
  t.match(help, /-h, --help +print this help/);
  t.match(help, /vp example go far +goes far/);
  t.match(help, 'Files are written beside the scenario.');
  t.match(help, /\n {2}130 {2}interrupted\n/);
  t.notMatch(help, 'hush');
  t.notMatch(help, 'default: false');
  t.notMatch(help, /\[(array|count)\]/);
});

t.test('the help keeps to the width, and to a readable one where there is more', async (t) => {
  const longest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  t.ok(longest(await commandHelp(example, 80)) <= 80);
  t.ok(longest(await commandHelp(example, 400)) <= 110);
});

t.test('the help of a group has an example of each of its commands', async (t) => {
  const help = await catalogueHelp('scenarios', 100);
  for (const line of ['list', 'push scenarios', 'pull scenarios', 'diff scenarios'])
    t.match(help, new RegExp(`Examples:[\\s\\S]*\\n +vp scenarios ${line} +\\S`), line);
});

t.test('the list of commands can be narrowed to a group', async (t) => {
  t.match(await catalogueHelp('', 100), /Commands:\n(.*\n)*? +vp completion +print/);
  const group = await catalogueHelp('no-such-group', 100);
  t.match(group, 'vp no-such-group <command> [flags]');
  t.notMatch(group, 'vp completion');
});
