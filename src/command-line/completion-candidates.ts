/**
 * What a shell proposes for the last word of a line. The scripts of all shells call `vp complete` for it, so that flags, ids and
 * tags are those of this version and this control plane; measured, that takes about as long as starting vp.
 */
import type { Command, CommandEntry, Flag, FlagDefinitions, Positional, ValueKind } from './command.ts';
import { commonFlags } from './common-flags.ts';
import { listNamesBelow } from './find-command.ts';

export type CompletionCandidate = { readonly value: string; readonly describe: string };

/** `files`: names of files fit too. */
export type CompletionResult = { readonly candidates: readonly CompletionCandidate[]; readonly files: boolean };

export type CompletionOptions = {
  readonly catalogue: readonly CommandEntry[];
  /** Commands that are not proposed. */
  readonly internal: readonly string[];
  /** `flag` reads the value of a flag on the line. */
  /** `args`: the arguments before the value. */
  listValues(
    kind: ValueKind,
    flag: (name: string) => string | undefined,
    args: readonly string[],
  ): Promise<readonly CompletionCandidate[]>;
};

const nothing: CompletionResult = { candidates: [], files: false };
const onlyFiles: CompletionResult = { candidates: [], files: true };

/** bash makes `--flag`, `=` and `value` of `--flag=value`. */
function joinAssignments(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const word of words) {
    const previous = joined.at(-1);
    const isAssigned = word === '=' && previous?.startsWith('--');
    if (isAssigned || (previous?.endsWith('=') && previous.startsWith('--'))) joined[joined.length - 1] += word;
    else joined.push(word);
  }
  return joined;
}

type LinePosition = { readonly command: Command | undefined; readonly group: string; readonly args: readonly string[] };

/** Follows the words before the last one: the command, or the words of one so far, and its arguments. */
async function followLine(before: readonly string[], catalogue: readonly CommandEntry[]): Promise<LinePosition> {
  let [group, command]: [string, Command | undefined] = ['', undefined];
  const args: string[] = [];
  for (let index = 0; index < before.length; index += 1) {
    const word = before[index] ?? '';
    if (word.startsWith('-')) {
      if (!word.includes('=') && findFlag(command, word)?.type !== 'boolean' && findFlag(command, word)) index += 1;
      continue;
    }
    const longer = group === '' ? word : `${group} ${word}`;
    if (args.length === 0 && listNamesBelow(catalogue, group).includes(word)) {
      group = longer;
      command = await catalogue.find(({ name }) => name === longer)?.load();
    } else if (command) args.push(word);
    else return { command: undefined, group: word, args };
  }
  return { command, group, args };
}

function flagsOf(command: Command | undefined): FlagDefinitions {
  return { ...command?.flags, ...commonFlags };
}

function findFlag(command: Command | undefined, word: string): Flag | undefined {
  const flags = flagsOf(command);
  const name = word.replace(/^--/, '').replace(/=.*$/s, '');
  if (word.startsWith('--')) return Object.hasOwn(flags, name) ? flags[name] : undefined;
  return Object.values(flags).find(({ alias }) => alias === word.slice(1));
}

function listFlags(command: Command | undefined, line: readonly string[]): readonly CompletionCandidate[] {
  return Object.entries(flagsOf(command))
    .filter(([name, flag]) => !flag.hidden && (flag.type === 'strings' || !line.includes(`--${name}`)))
    .map(([name, { describe }]) => ({ value: `--${name}`, describe }));
}

/** Completes the last of `words`, which follow `vp`. */
export async function completeLine(words: readonly string[], options: CompletionOptions): Promise<CompletionResult> {
  const joined = joinAssignments(words);
  const current = joined.at(-1) ?? '';
  const before = joined.slice(0, -1);
  const { command, group, args } = await followLine(before, options.catalogue);
  const readFlag = (name: string): string | undefined => {
    const index = before.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    return before[index]?.split('=', 2)[1] ?? before[index + 1];
  };
  const flagValue = (name: string): string | undefined =>
    before.some((word) => word.split('=', 1)[0] === `--${name}`) ? readFlag(name) : undefined;
  const complete = async (value: Flag | Positional, prefix = ''): Promise<CompletionResult> => {
    const { candidates, files } = await completeValue(value, options, flagValue, args);
    return { candidates: candidates.map((each) => ({ ...each, value: prefix + each.value })), files };
  };
  const assigned = /^(--[\w-]+=)/.exec(current)?.[1];
  const previous = before.at(-1) ?? '';
  const flag = findFlag(command, assigned ?? previous);
  if (assigned !== undefined) return startingWith(current, flag ? await complete(flag, assigned) : nothing);
  if (previous.startsWith('-') && !previous.includes('=') && flag && flag.type !== 'boolean')
    return startingWith(current, await complete(flag));
  if (current.startsWith('-')) return startingWith(current, { candidates: listFlags(command, before), files: false });
  const subcommands = args.length > 0 ? [] : listSubcommands(group, options);
  const positional = command?.positionals[Math.min(args.length, command.positionals.length - 1)];
  const isFull = positional !== undefined && args.length >= (command?.positionals.length ?? 0) && !positional.many;
  const { candidates, files } = positional && !isFull ? await complete(positional) : nothing;
  return startingWith(current, { candidates: [...subcommands, ...candidates], files });
}

function listSubcommands(group: string, { catalogue, internal }: CompletionOptions): readonly CompletionCandidate[] {
  return listNamesBelow(catalogue, group)
    .filter((name) => group !== '' || !internal.includes(name))
    .map((value) => {
      const name = group === '' ? value : `${group} ${value}`;
      const describe = catalogue.find((entry) => entry.name === name)?.summary;
      return { value, describe: describe ?? listNamesBelow(catalogue, name).join(', ') };
    });
}

async function completeValue(
  { choices, kind, ...value }: Flag | Positional,
  { listValues }: CompletionOptions,
  flag: (name: string) => string | undefined,
  args: readonly string[],
): Promise<CompletionResult> {
  if (choices) return { candidates: choices.map((choice) => ({ value: choice, describe: '' })), files: false };
  if (kind) return { candidates: await listValues(kind, flag, args), files: kind === 'scenario-or-file' };
  const label = 'name' in value ? `${value.name} ${value.describe}` : (value.placeholder ?? '');
  return /file|folder|dir|socket|source/i.test(label) ? onlyFiles : nothing;
}

function startingWith(prefix: string, { candidates, files }: CompletionResult): CompletionResult {
  return { candidates: candidates.filter(({ value }) => value.startsWith(prefix)), files };
}
