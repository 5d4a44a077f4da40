/** Finds the command that a line starts with, skipping common flags between its words. */

import { findSuggestion, formatSuggestion } from '../errors/suggestion.ts';
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
      /** The group that was written without `list`, or a command that lists with the word. */
      readonly listedGroup?: string;
    }
  /** Only the first word of two-word commands, or no word at all (`name` is then empty). `list` is what it does by itself. */
  | {
      readonly kind: 'group';
      readonly name: string;
      readonly args: readonly string[];
      readonly list: CommandEntry | undefined;
    };

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

/** `vp schedules` lists as `vp schedules list` does, and `vp runs list` as `vp runs` does. */
function findList(catalogue: readonly CommandEntry[], group: string): CommandEntry | undefined {
  return group === '' ? undefined : findEntry(catalogue, `${group} list`);
}

/** True for the word `list` behind a command that lists by itself: one whose other commands show or create what it lists. */
function isListWord(catalogue: readonly CommandEntry[], name: string, word: string | undefined): boolean {
  if (word !== 'list') return false;
  const names = listNamesBelow(catalogue, name);
  return !names.includes(word) && names.some((below) => below === 'show' || below === 'create');
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
  { entry, nextWord, listedGroup }: CommandMatch & { readonly kind: 'command' },
  { positionals }: Pick<Command, 'positionals'>,
): void {
  if (nextWord === undefined || positionals.length > 0) return;
  const group = listedGroup ?? entry.name;
  if (listNamesBelow(catalogue, group).length > 0) throwUnknown(catalogue, group, nextWord);
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
    if (!entry && !listNamesBelow(catalogue, name).includes(word)) {
      const list = findSuggestion(word, listNamesBelow(catalogue, name)) ? undefined : findList(catalogue, name);
      if (!list) throwUnknown(catalogue, name, word);
      const args = [...commonArgs, ...remaining];
      return { kind: 'command', entry: list, args, nextWord: findNextWord(remaining), listedGroup: name };
    }
    remaining = remaining.slice(1);
    // What follows `list` is not a subcommand any more: `vp instances list remove shop` removes nothing.
    if (entry && isListWord(catalogue, longer, remaining[0])) {
      const rest = remaining.slice(1);
      const match = { entry, args: [...commonArgs, ...rest], nextWord: findNextWord(rest) };
      return { kind: 'command', ...match, listedGroup: `${longer} list` };
    }
    if (entry && !hasSubcommand(catalogue, longer, remaining))
      return { kind: 'command', entry, args: [...commonArgs, ...remaining], nextWord: findNextWord(remaining) };
    name = longer;
  }
  return { kind: 'group', name, args: commonArgs, list: findList(catalogue, name) };
}
