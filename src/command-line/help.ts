/** Help texts, laid out by yargs from the declarations that are also used for parsing. Loaded for `--help` only. */
import yargs, { type Argv, type Options } from 'yargs';
import type { Command, CommandEntry, Flag, FlagDefinitions, Positional } from './command.ts';
import { commonFlags } from './common-flags.ts';
import { exitCodes, maxHelpWidth } from './overview.ts';

/** Only the layout of yargs is used: not its own options, nor its reading of the process. */
function createPage(width: number): Argv {
  return yargs([])
    .scriptName('vp')
    .locale('en')
    .version(false)
    .help(false)
    .wrap(Math.min(width, maxHelpWidth))
    .updateStrings({ 'Options:': 'Flags:', 'Positionals:': 'Arguments:' });
}

function formatPositional({ name, required, many }: Positional): string {
  const dots = many ? '…' : '';
  return required ? `<${name}>${dots}` : `[${name}]${dots}`;
}

/** Such as `vp run <scenario>… [flags]`. */
export function formatUsage({ name, positionals }: Pick<Command, 'name' | 'positionals'>): string {
  return ['vp', name, ...positionals.map(formatPositional), '[flags]'].join(' ');
}

function toYargsOption(flag: Flag, group: string): Options {
  const variable = flag.variable === undefined ? '' : ` [${flag.variable}]`;
  const repeated = flag.type === 'strings' ? '; may be repeated' : '';
  const option: Options = {
    group,
    describe: `${flag.describe}${repeated}${variable}`,
    type: flag.type === 'strings' ? 'string' : flag.type,
    hidden: flag.hidden ?? false,
  };
  if (flag.alias !== undefined) option.alias = flag.alias;
  if (flag.choices) option.choices = flag.choices;
  if (flag.default !== undefined && flag.default !== false) option.default = flag.default;
  return option;
}

function addFlags(argv: Argv, flags: FlagDefinitions, group: string): Argv {
  for (const [name, flag] of Object.entries(flags)) argv.option(name, toYargsOption(flag, group));
  return argv;
}

/** `width` is in columns. */
export async function commandHelp(command: Command, width: number): Promise<string> {
  const argv = createPage(width).usage(`${formatUsage(command)}\n\n${command.summary}`);
  for (const { name, describe } of command.positionals) argv.positional(name, { describe, type: 'string' });
  addFlags(argv, command.flags, 'Flags:');
  addFlags(argv, commonFlags, 'Common flags:');
  for (const [line, meaning] of command.examples) argv.example(line, meaning);
  const notes = command.notes === undefined ? '' : `${command.notes}\n\n`;
  return `${await argv.epilogue(`${notes}${exitCodes}`).getHelp()}\n`;
}

function entriesInGroup(catalogue: readonly CommandEntry[], group: string): readonly CommandEntry[] {
  return catalogue.filter((entry) => entry.name.startsWith(`${group} `));
}

/** The first example of each command of a group. */
async function examplesInGroup(catalogue: readonly CommandEntry[], group: string): Promise<Command['examples']> {
  const commands = await Promise.all(entriesInGroup(catalogue, group).map((entry) => entry.load()));
  return commands.flatMap(({ examples }) => examples.slice(0, 1));
}

/** Lists the commands whose first word is `group`. */
export async function groupHelp(catalogue: readonly CommandEntry[], group: string, width: number): Promise<string> {
  const argv = createPage(width).usage(`vp ${group} <command> [flags]\n\nVerifies a running application by scenario.`);
  for (const { name, summary } of entriesInGroup(catalogue, group)) argv.command(name, summary);
  for (const [line, meaning] of await examplesInGroup(catalogue, group)) argv.example(line, meaning);
  addFlags(argv, commonFlags, 'Common flags:');
  return `${await argv.epilogue(`See \`vp <command> --help\` for details.\n\n${exitCodes}`).getHelp()}\n`;
}
