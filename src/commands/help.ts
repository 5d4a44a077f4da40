/** The help texts, laid out by yargs from the same declarations that are parsed by. Loaded for `--help` only. */
import yargs, { type Argv, type Options } from 'yargs';
import { exitCode } from '../errors/exit-code.ts';
import { type CatalogueEntry, catalogue } from './catalogue.ts';
import type { Command, Flag, Flags, Positional } from './command.ts';
import { commonFlags } from './common-flags.ts';

const exitCodes = `Exit codes:
  ${exitCode.done}    done, every check held
  ${exitCode.checkFailed}    a check was false, or done only in part
  ${exitCode.invalidInput}    the command line or an input file is wrong
  ${exitCode.notReady}    not ready yet
  ${exitCode.broken}    could not be judged or reached
  ${exitCode.interrupted}  interrupted

With --json, standard output carries JSON only; what goes wrong is its last document:
{"error": {"code", "message", "cure", "place", "exit_code"}}`;

const widest = 110;

/** Without yargs' own words and reading of the process: only its layout is used. */
function page(width: number): Argv {
  return yargs([])
    .scriptName('vp')
    .locale('en')
    .version(false)
    .help(false)
    .wrap(Math.min(width, widest))
    .updateStrings({ 'Options:': 'Flags:', 'Positionals:': 'Words:' });
}

function wordOf({ name, required, many }: Positional): string {
  const dots = many ? '…' : '';
  return required ? `<${name}>${dots}` : `[${name}]${dots}`;
}

/** How a command is written, such as `vp run <scenario>… [flags]`. */
export function usageOf({ name, positionals }: Pick<Command, 'name' | 'positionals'>): string {
  return ['vp', name, ...positionals.map(wordOf), '[flags]'].join(' ');
}

function optionOf(flag: Flag, group: string): Options {
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

function addFlags(argv: Argv, flags: Flags, group: string): Argv {
  for (const [name, flag] of Object.entries(flags)) argv.option(name, optionOf(flag, group));
  return argv;
}

/** The help of one command. `width` in columns. */
export async function commandHelp(command: Command, width: number): Promise<string> {
  const argv = page(width).usage(`${usageOf(command)}\n\n${command.summary}`);
  for (const { name, describe } of command.positionals) argv.positional(name, { describe, type: 'string' });
  addFlags(argv, command.flags, 'Flags:');
  addFlags(argv, commonFlags, 'Everywhere:');
  for (const [line, meaning] of command.examples) argv.example(line, meaning);
  const notes = command.notes === undefined ? '' : `${command.notes}\n\n`;
  return `${await argv.epilogue(`${notes}${exitCodes}`).getHelp()}\n`;
}

function listed(group: string): readonly CatalogueEntry[] {
  return group === '' ? catalogue : catalogue.filter((entry) => entry.name.startsWith(`${group} `));
}

/** The first of each command of a group; of all commands they would be too many, and loading them takes time. */
async function examplesOf(group: string): Promise<Command['examples']> {
  const commands = await Promise.all(group === '' ? [] : listed(group).map((entry) => entry.load()));
  return commands.flatMap(({ examples }) => examples.slice(0, 1));
}

/** The list of commands: all, or those whose first word is `group`. */
export async function catalogueHelp(group: string, width: number): Promise<string> {
  const usage = group === '' ? 'vp <command> [flags]' : `vp ${group} <command> [flags]`;
  const argv = page(width).usage(`${usage}\n\nVerifies a running application by scenario.`);
  for (const { name, summary } of listed(group)) argv.command(name, summary);
  for (const [line, meaning] of await examplesOf(group)) argv.example(line, meaning);
  addFlags(argv, commonFlags, 'Everywhere:');
  return `${await argv.epilogue(`\`vp <command> --help\` tells more.\n\n${exitCodes}`).getHelp()}\n`;
}
