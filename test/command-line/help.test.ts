import t from 'tap';
import { command } from '../../src/command-line/command.ts';
import { renderCommandHelp, renderGroupHelp } from '../../src/command-line/help.ts';
import { renderOverview } from '../../src/command-line/overview.ts';
import { catalogue } from '../../src/commands/catalogue.ts';
import { commandGroups, internalCommands } from '../../src/commands/command-groups.ts';
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
    colour: { type: 'boolean', describe: 'use colours', default: true },
    'a-flag-with-a-long-name': { type: 'string', describe: 'far away', placeholder: '<folder>' },
  },
  flagGroups: { Output: ['report', 'quiet'] },
  examples: [
    ['vp example go far', 'goes far'],
    ['vp example go far --report results/a-report-in-a-folder.json --mode fast', 'goes far, and writes a report'],
  ],
  notes: 'Files are written beside the scenario.',
  run: async () => 0,
});

t.test('the help of a command is complete', async (t) => {
  const help = renderCommandHelp(example, 100);
  t.match(help, 'vp example go <what> [more]… [flags]\n\ngo for an example\n');
  t.match(help, /what +what to go for/);
  t.match(help, /--port <port> +port; 0 for a free one \(default 7700\) \[VP_PORT\]\n/);
  t.match(help, /\nOutput:\n {2}--report <file>… +write a report\n {2}--quiet +say less\n\n/);
  t.match(help, /-m, --mode <value> +how \(one of fast, slow\)\n/);
  t.match(help, /--\[no-\]colour +use colours\n/);
  t.match(help, /\n {2}--a-flag-with-a-long-name <folder>\n +far away\n/);
  t.match(help, /-h, --help +print this help/);
  t.match(help, /vp example go far +goes far/);
  t.match(help, 'Files are written beside the scenario.');
  t.match(help, /Exit codes: 0 done.*130\s+interrupted\.\n$/s);
  t.notMatch(help, 'hush');
  t.notMatch(help, 'default false');
});

t.test('the help fits the width, up to a readable maximum', async (t) => {
  const maxLineLength = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  t.ok(maxLineLength(renderCommandHelp(example, 80)) <= 80);
  t.ok(maxLineLength(renderCommandHelp(example, 400)) <= 110);
});

t.test('an example is one line, so that it can be pasted', async (t) => {
  const help = renderCommandHelp(example, 80);
  for (const [line] of example.examples)
    t.ok(
      help.split('\n').some((text) => text.trimStart().startsWith(line)),
      line,
    );
  t.match(help, /--mode fast\n {6}goes far, and writes a report\n/);
});

t.test('the help of every command has an example, fits 80 columns and two screens', async (t) => {
  for (const entry of catalogue) {
    const loaded = await entry.load();
    const lines = renderCommandHelp(loaded, 80, catalogue).split('\n');
    t.ok(lines.length <= 96, `${entry.name}: ${lines.length} lines`);
    const examples = loaded.examples.map(([line]) => line);
    t.ok(examples.length > 0, entry.name);
    const isExample = (line: string): boolean => examples.some((example) => line.trimStart().startsWith(example));
    t.same(
      lines.filter((line) => line.length > 80 && !isExample(line)),
      [],
      entry.name,
    );
  }
});

t.test('each flag of a command is listed once, under a heading that exists', async (t) => {
  for (const entry of catalogue) {
    const { flags, flagGroups = {}, ...others } = await entry.load();
    const grouped = Object.values(flagGroups).flat();
    t.same(
      grouped.filter((name) => !Object.hasOwn(flags, name)),
      [],
      entry.name,
    );
    const help = renderCommandHelp({ flags, flagGroups, ...others }, 100);
    for (const [name, { hidden }] of Object.entries(flags))
      t.equal(
        help.match(new RegExp(`^ {2}(-\\w, )?--(\\[no-\\])?${name}( |$)`, 'gm'))?.length ?? 0,
        hidden ? 0 : 1,
        `${entry.name} --${name}`,
      );
  }
});

t.test('the help of a command lists its subcommands', async (t) => {
  const entry = catalogue.find(({ name }) => name === 'runs');
  if (!entry) throw new Error('no command `runs`');
  t.match(renderCommandHelp(await entry.load(), 80, catalogue), /^Subcommands:\n {2}vp runs show +show all details/m);
});

t.test('the help of a group has an example of each of its commands', async (t) => {
  const help = await renderGroupHelp(catalogue, 'scenarios', 100);
  for (const line of ['list', 'push scenarios', 'pull scenarios', 'diff scenarios'])
    t.match(help, new RegExp(`Examples:[\\s\\S]*\\n +vp scenarios ${line}\\s+\\S`), line);
});

t.test('the help of a group lists its commands only', async (t) => {
  const group = await renderGroupHelp(catalogue, 'no-such-group', 100);
  t.match(group, 'vp no-such-group <command> [flags]');
  t.notMatch(group, 'vp completion');
});

const overviewOptions = { catalogue, groups: commandGroups, internal: internalCommands };

t.test('the list of commands has groups, and fits 80 columns and two screens', async (t) => {
  const text = renderOverview(overviewOptions, 80);
  t.ok(text.split('\n').length <= 96, `${text.split('\n').length} lines`);
  t.ok(text.split('\n').every((line) => line.length <= 80));
  for (const { title } of commandGroups) t.match(text, new RegExp(`^${title}$`, 'm'));
  t.match(text, /^ {2}runs +list runs, newest first, or watch them; also: show, cancel$/m);
  t.match(text, /^ {2}scenarios +the catalogue of scenarios of an instance; list, push, pull,\n +diff/m);
});

t.test('every command is in one group or internal, and internal ones are not listed', async (t) => {
  const words = new Set(catalogue.map(({ name }) => name.split(' ', 1)[0] ?? ''));
  const grouped = [...commandGroups.flatMap((group) => Object.keys(group.words)), ...internalCommands];
  t.same(
    [...words].filter((word) => grouped.filter((name) => name === word).length !== 1),
    [],
  );
  const text = renderOverview(overviewOptions, 80);
  for (const word of words)
    t.equal(new RegExp(`^ {2}${word}( |$)`, 'm').test(text), !internalCommands.includes(word), word);
  const withNewOne = { ...overviewOptions, groups: commandGroups.slice(1) };
  t.match(renderOverview(withNewOne, 80), /^Other\n {2}demo +see/m, 'a command without a group is not lost');
});
