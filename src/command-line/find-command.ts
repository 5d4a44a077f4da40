/** Finds the command that a line starts with, skipping common flags between its words. */

import { formatSuggestion } from '../errors/suggestion.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Command, CommandEntry } from './command.ts';
import { commonFlags } from './common-flags.ts';

/** `args` are the arguments behind the command, and the common flags before it. */
export type CommandMatch =
  | {
      readonly kind: 'command';
      readonly entry: CommandEntry;
      readonly args: readonly string[];
      /** What follows the command, unless it is a flag. */
      readonly nextWord: string | undefined;
    }
  /** Only the first word of two-word commands, or no word at all (`name` is then empty). */
  | { readonly kind: 'group'; readonly name: string; readonly args: readonly string[] };

/** How many arguments a common flag at the front takes; 0 if there is none. */
function commonFlagLength(args: readonly string[]): number {
  const [flag = ''] = args;
  if (flag === '-h' || flag === '--no-json') return 1;
  const [name = '', value] = flag.slice(2).split('=', 2);
  if (!flag.startsWith('--') || !Object.hasOwn(commonFlags, name)) return 0;
  return name === 'log-level' && value === undefined ? 2 : 1;
}

/** The entry of a name, or of the name that it had before. */
function findEntry(catalogue: readonly CommandEntry[], name: string): CommandEntry | undefined {
  return catalogue.find((entry) => entry.name === name || entry.formerNames?.includes(name));
}

/** The next words of commands that start with `group`; the first words if it is empty. */
export function listNamesBelow(catalogue: readonly CommandEntry[], group: string): readonly string[] {
  const prefix = group === '' ? '' : `${group} `;
  const below = catalogue.map((entry) => entry.name).filter((name) => name.startsWith(prefix));
  return [...new Set(below.map((name) => name.slice(prefix.length).split(' ', 1)[0] ?? ''))];
}

function throwUnknown(catalogue: readonly CommandEntry[], group: string, word: string): never {
  const parent = group === '' ? 'vp' : `vp ${group}`;
  const hint = formatSuggestion(word, listNamesBelow(catalogue, group));
  if (!word.startsWith('-')) throw vpError('COMMAND_UNKNOWN', { command: `${parent} ${word}`, parent, hint });
  const known = [...Object.keys(commonFlags), 'version'].map((name) => `--${name}`);
  throw vpError('FLAG_UNKNOWN', { command: parent, flag: word, hint: formatSuggestion(word, known) });
}

/** `vp runs` is a command, but the next word may select a subcommand: `vp runs show`. */
function hasSubcommand(catalogue: readonly CommandEntry[], name: string, remaining: readonly string[]): boolean {
  const flags = commonFlagLength(remaining);
  if (flags > 0) return hasSubcommand(catalogue, name, remaining.slice(flags));
  return remaining[0] !== undefined && listNamesBelow(catalogue, name).includes(remaining[0]);
}

function findNextWord(remaining: readonly string[]): string | undefined {
  const flags = commonFlagLength(remaining);
  if (flags > 0) return findNextWord(remaining.slice(flags));
  return remaining[0]?.startsWith('-') ? undefined : remaining[0];
}

/** Throws COMMAND_UNKNOWN where a command that has subcommands and takes no arguments is followed by a word: it was meant as a subcommand. */
export function assertNextWord(
  catalogue: readonly CommandEntry[],
  { entry, nextWord }: CommandMatch & { readonly kind: 'command' },
  { positionals }: Pick<Command, 'positionals'>,
): void {
  if (nextWord === undefined || positionals.length > 0 || listNamesBelow(catalogue, entry.name).length === 0) return;
  throwUnknown(catalogue, entry.name, nextWord);
}

/** Finds the command of `args`. Throws COMMAND_UNKNOWN, FLAG_UNKNOWN. */
export function findCommand(catalogue: readonly CommandEntry[], args: readonly string[]): CommandMatch {
  const commonArgs: string[] = [];
  let name = '';
  let remaining = args;
  while (remaining.length > 0) {
    const flags = commonFlagLength(remaining);
    if (flags > 0) {
      commonArgs.push(...remaining.slice(0, flags));
      remaining = remaining.slice(flags);
      continue;
    }
    const [word = ''] = remaining;
    const longer = name === '' ? word : `${name} ${word}`;
    const entry = findEntry(catalogue, longer);
    if (!entry && !listNamesBelow(catalogue, name).includes(word)) throwUnknown(catalogue, name, word);
    remaining = remaining.slice(1);
    if (entry && !hasSubcommand(catalogue, longer, remaining))
      return { kind: 'command', entry, args: [...commonArgs, ...remaining], nextWord: findNextWord(remaining) };
    name = longer;
  }
  return { kind: 'group', name, args: commonArgs };
}
