/** The command a line begins with: its words, with the common flags that may stand among them set aside. */
import { didYouMean } from '../errors/suggestion.ts';
import { vpError } from '../errors/vp-error.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { commonFlags } from './common-flags.ts';

/** What a line asks for. `args` are those behind the command, and the common flags before it. */
export type Found =
  | { readonly kind: 'command'; readonly entry: CatalogueEntry; readonly args: readonly string[] }
  /** Only the first word of commands with two, or no word at all (`name` is then empty). */
  | { readonly kind: 'group'; readonly name: string; readonly args: readonly string[] };

/** How many args the common flag at the front takes up; 0 when it is none. */
function commonFlagLength(args: readonly string[]): number {
  const [flag = ''] = args;
  if (flag === '-h' || flag === '--no-json') return 1;
  const [name = '', value] = flag.slice(2).split('=', 2);
  if (!flag.startsWith('--') || !Object.hasOwn(commonFlags, name)) return 0;
  return name === 'log-level' && value === undefined ? 2 : 1;
}

/** Names below `group`, without it; the top's when empty. */
export function namesBelow(catalogue: readonly CatalogueEntry[], group: string): readonly string[] {
  const prefix = group === '' ? '' : `${group} `;
  const below = catalogue.map((entry) => entry.name).filter((name) => name.startsWith(prefix));
  return [...new Set(below.map((name) => name.slice(prefix.length).split(' ', 1)[0] ?? ''))];
}

function unknown(catalogue: readonly CatalogueEntry[], group: string, word: string): never {
  const parent = group === '' ? 'vp' : `vp ${group}`;
  const hint = didYouMean(word, namesBelow(catalogue, group));
  if (!word.startsWith('-')) throw vpError('COMMAND_UNKNOWN', { command: `${parent} ${word}`, parent, hint });
  const known = [...Object.keys(commonFlags), 'version'].map((name) => `--${name}`);
  throw vpError('FLAG_UNKNOWN', { command: parent, flag: word, hint: didYouMean(word, known) });
}

/** `vp runs` is a command, and the next word may make it another one: `vp runs show`. */
function goesOn(catalogue: readonly CatalogueEntry[], name: string, rest: readonly string[]): boolean {
  const flags = commonFlagLength(rest);
  if (flags > 0) return goesOn(catalogue, name, rest.slice(flags));
  return rest[0] !== undefined && namesBelow(catalogue, name).includes(rest[0]);
}

/** Finds the command of `args`. Throws COMMAND_UNKNOWN, FLAG_UNKNOWN. */
export function findCommand(catalogue: readonly CatalogueEntry[], args: readonly string[]): Found {
  const aside: string[] = [];
  let name = '';
  let rest = args;
  while (rest.length > 0) {
    const flags = commonFlagLength(rest);
    if (flags > 0) {
      aside.push(...rest.slice(0, flags));
      rest = rest.slice(flags);
      continue;
    }
    const [word = ''] = rest;
    const longer = name === '' ? word : `${name} ${word}`;
    if (!namesBelow(catalogue, name).includes(word)) unknown(catalogue, name, word);
    rest = rest.slice(1);
    const entry = catalogue.find((candidate) => candidate.name === longer);
    if (entry && !goesOn(catalogue, longer, rest)) return { kind: 'command', entry, args: [...aside, ...rest] };
    name = longer;
  }
  return { kind: 'group', name, args: aside };
}
