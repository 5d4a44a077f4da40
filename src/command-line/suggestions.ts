/**
 * Commands in texts for people, such as `` `vp runs` `` in the fix of an error, must work when pasted: a flag of this call that
 * the suggested command needs too is added to it.
 */
import type { Command, CommandEntry } from './command.ts';
import { findCommand } from './find-command.ts';

/** A flag of this call; `only`: for this suggested command alone. */
export type SuggestionFlag = { readonly name: string; readonly value: string | true; readonly only?: string };

const suggestionFlagNames = ['control-plane', 'ca', 'allow-insecure', 'data', 'product-dir', 'test-dir', 'instance'];
/** The commands whose `--data` is the folder of the control plane; that of a role is its own. */
const storeCommands = [
  'serve',
  'setup-link',
  'reset-password',
  'backup',
  'restore',
  'accept-loss',
  'move',
  'migrate',
  'audit anchor',
  'audit verify',
];
/** Flags that these commands take with `--local` only. */
const localFlags: Readonly<Record<string, readonly string[]>> = {
  run: ['product-dir', 'test-dir'],
  prove: ['product-dir', 'test-dir'],
};

/** The flags on a line that suggested commands may need. `command` is the command of the line. */
export function listFlagsForSuggestions(command: string, args: readonly string[]): readonly SuggestionFlag[] {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  return suggestionFlagNames.flatMap((name): SuggestionFlag[] => {
    const index = words.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    const word = words[index];
    if (word === undefined) return [];
    const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[index + 1];
    if (name === 'allow-insecure') return [{ name, value: true }];
    if (name !== 'data' || value === undefined) return value === undefined ? [] : [{ name, value }];
    const receivers = storeCommands.includes(command) ? storeCommands : [command];
    return receivers.map((only) => ({ name, value, only }));
  });
}

/** Adds the flags of this call to the commands between backticks in `text` that take them and do not have them. */
export async function completeSuggestions(
  text: string,
  suggestionFlags: readonly SuggestionFlag[],
  catalogue: readonly CommandEntry[],
): Promise<string> {
  if (suggestionFlags.length === 0) return text;
  let completed = text;
  for (const suggestion of new Set(text.match(/`vp [^`]+`/g))) {
    const line = suggestion.slice(1, -1);
    // Names the origin of a value, and is not to be pasted: with a flag it would store that.
    if (line === 'vp use') continue;
    const command = await loadSuggested(line, catalogue);
    if (command)
      completed = completed.replaceAll(suggestion, `\`${line}${missingFlags(line, command, suggestionFlags)}\``);
  }
  return completed;
}

async function loadSuggested(line: string, catalogue: readonly CommandEntry[]): Promise<Command | undefined> {
  const words = line.split(' ').slice(1);
  if (words.includes('--help') || words[0] === 'help') return undefined;
  try {
    const match = findCommand(catalogue, words);
    return match.kind === 'command' ? await match.entry.load() : undefined;
  } catch {
    return undefined;
  }
}

function missingFlags(
  line: string,
  { name: command, flags }: Command,
  suggestionFlags: readonly SuggestionFlag[],
): string {
  const isLocal = /(^| )--local( |$)/.test(line);
  const isNeeded = ({ name, only }: SuggestionFlag): boolean => {
    if (!Object.hasOwn(flags, name) || (only !== undefined && only !== command)) return false;
    // Of `vp serve` these have another meaning, or need --embedded.
    if (command === 'serve' && name !== 'data' && name !== 'port') return false;
    if ((name === 'ca' || name === 'allow-insecure') && !Object.hasOwn(flags, 'control-plane')) return false;
    const isLocalFlag = localFlags[command]?.includes(name) ?? false;
    if (localFlags[command] && name !== 'ca' && isLocalFlag !== isLocal) return false;
    return !new RegExp(`(^| )--${name}([ =]|$)`).test(line);
  };
  return suggestionFlags.filter(isNeeded).map(formatFlag).join('');
}

function formatFlag({ name, value }: SuggestionFlag): string {
  if (value === true) return ` --${name}`;
  return ` --${name} ${/^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}
