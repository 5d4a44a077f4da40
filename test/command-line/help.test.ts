import t from 'tap';
import { command } from '../../src/command-line/command.ts';
import { catalogueHelp, commandHelp } from '../../src/command-line/help.ts';
import { catalogue } from '../../src/commands/catalogue.ts';
import { roleFlags } from '../../src/commands/role-flags.ts';

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

t.test('the help of a command is complete', async (t) => {
  const help = await commandHelp(example, 100);
  t.match(help, 'vp example go <what> [more]… [flags]\n\ngo for an example\n');
  t.match(help, /what +what to go for/);
  t.match(help, /--port +port to listen on; 0 for a free one \[VP_PORT\] +\[number\] \[default: 7700\]/);
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

t.test('the help fits the width, up to a readable maximum', async (t) => {
  const maxLineLength = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  t.ok(maxLineLength(await commandHelp(example, 80)) <= 80);
  t.ok(maxLineLength(await commandHelp(example, 400)) <= 110);
});

t.test('the help of a group has an example of each of its commands', async (t) => {
  const help = await catalogueHelp(catalogue, 'scenarios', 100);
  for (const line of ['list', 'push scenarios', 'pull scenarios', 'diff scenarios'])
    t.match(help, new RegExp(`Examples:[\\s\\S]*\\n +vp scenarios ${line} +\\S`), line);
});

t.test('the list of commands can be narrowed to a group', async (t) => {
  t.match(await catalogueHelp(catalogue, '', 100), /Commands:\n(.*\n)*? +vp completion +print/);
  const group = await catalogueHelp(catalogue, 'no-such-group', 100);
  t.match(group, 'vp no-such-group <command> [flags]');
  t.notMatch(group, 'vp completion');
});
