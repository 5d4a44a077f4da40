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
      /** What follows the command, unless it is a flag, and what follows that. */
      readonly nextWord: string | undefined;
      readonly wordAfter?: string | undefined;
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

/** Usual words for commands that have another name here; the first that the group has is meant. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  ...{ add: ['create', 'connect'], new: ['create', 'add'], make: ['create'] },
  ...{ delete: ['remove', 'revoke', 'cancel'], rm: ['remove', 'revoke'], remove: ['delete', 'revoke', 'disconnect'] },
  ...{ reject: ['deny'], refuse: ['deny'], decline: ['deny'], accept: ['approve'], allow: ['approve'] },
  ...{ ls: ['list'], get: ['show'], describe: ['show'], stop: ['cancel', 'pause'], update: ['edit', 'change'] },
};

function findSynonym(word: string, names: readonly string[]): string | undefined {
  return Object.hasOwn(synonyms, word) ? synonyms[word]?.find((name) => names.includes(name)) : undefined;
}

/** Groups with more commands are listed by their help. */
const maxListedNames = 8;

function formatHint(catalogue: readonly CommandEntry[], group: string, word: string): string {
  const names = listNamesBelow(catalogue, group);
  const synonym = findSynonym(word, names);
  if (synonym !== undefined) return `did you mean \`${synonym}\`? `;
  const hint = formatSuggestion(word, names);
  if (hint !== '' || group === '' || names.length > maxListedNames) return hint;
  return names.length === 0 ? '' : `\`vp ${group}\` has ${names.join(', ')}; `;
}

function throwUnknown(catalogue: readonly CommandEntry[], group: string, word: string): never {
  const parent = group === '' ? 'vp' : `vp ${group}`;
  const hint = formatHint(catalogue, group, word);
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

/**
 * Throws COMMAND_UNKNOWN for a word that was meant as a subcommand: behind a command that takes no arguments, or where a group was written
 * without `list` and the word is not the one argument of its list, or looks like a subcommand.
 */
export function assertNextWord(
  catalogue: readonly CommandEntry[],
  { entry, nextWord, wordAfter, listedGroup }: CommandMatch & { readonly kind: 'command' },
  { positionals }: Pick<Command, 'positionals'>,
): void {
  if (nextWord === undefined) return;
  const group = listedGroup ?? entry.name;
  const names = listNamesBelow(catalogue, group);
  if (positionals.length === 0 && names.length > 0) throwUnknown(catalogue, group, nextWord);
  if (positionals.length === 0 || entry.name !== `${group} list`) return;
  if (wordAfter !== undefined) throwUnknown(catalogue, group, nextWord);
  const nearest = findSynonym(nextWord, names) ?? findSuggestion(nextWord, names);
  if (nearest === undefined) return;
  const hint = `did you mean \`${nearest}\`? For ${positionals[0]?.name} ${nextWord} write \`vp ${group} list ${nextWord}\`; `;
  const parent = `vp ${group}`;
  throw vpError('COMMAND_UNKNOWN', { command: `${parent} ${nextWord}`, parent, hint });
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
      const list = findList(catalogue, name);
      if (!list) throwUnknown(catalogue, name, word);
      const match = { entry: list, args: [...commonArgs, ...remaining], nextWord: findNextWord(remaining) };
      return { kind: 'command', ...match, wordAfter: findNextWord(remaining.slice(1)), listedGroup: name };
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
