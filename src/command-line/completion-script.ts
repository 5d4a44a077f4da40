/**
 * Shell completion: one script with all names in it.
 *
 * Rejected: yargs' completion, which starts vp and loads yargs at every key press, needs bash 4, and does not see what is
 * behind `load` in the catalogue.
 */

import type { Command, CommandEntry, Flag, Flags } from './command.ts';
import { commonFlags } from './common-flags.ts';
import { listNamesBelow } from './find-command.ts';

/** Quotes a word for the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function visibleFlags(flags: Flags): [string, Flag][] {
  const all: Flags = { ...flags, ...commonFlags };
  return Object.entries(all).filter(([, flag]) => !flag.hidden);
}

/** A case for each flag with a value: its choices, or none, so that the shell completes files. */
function valueCases({ name, flags }: Command): string[] {
  return visibleFlags(flags)
    .filter(([, flag]) => flag.type !== 'boolean')
    .map(
      ([flagName, flag]) =>
        `    ${quoted(`${name} --${flagName}`)}) values=${quoted(flag.choices?.join(' ') ?? '')}; return ;;`,
    );
}

function flagCase({ name, flags }: Command): string {
  return `    ${quoted(name)}) flags=${quoted(
    visibleFlags(flags)
      .map(([flag]) => `--${flag}`)
      .join(' '),
  )} ;;`;
}

function groupNames(entries: readonly CommandEntry[]): string[] {
  return [
    ...new Set(entries.filter((entry) => entry.name.includes(' ')).map((entry) => entry.name.split(' ', 1)[0] ?? '')),
  ];
}

function wordCase(entries: readonly CommandEntry[], group: string): string {
  return `    ${quoted(group)}) words=${quoted(listNamesBelow(entries, group).join(' '))} ;;`;
}

/** The script for bash 3.2 and newer, and for zsh with bashcompinit. An empty COMPREPLY falls back to files. */
export function completionScript(entries: readonly CommandEntry[], commands: readonly Command[]): string {
  const names = commands.map(({ name }) => quoted(name)).join('|');
  return `_vp_line() {
  command='' group='' words='' flags='' values='none'
  local word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$word" in -*) continue ;; esac
    case "\${group:+$group }$word" in
    ${names}) command="\${group:+$group }$word" group="\${group:+$group }$word" ;;
    *) [ -n "$command" ] && break; group="$word" ;;
    esac
  done
  case "$command \${COMP_WORDS[$((COMP_CWORD - 1))]}" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
${commands.map(flagCase).join('\n')}
  esac
  case "$group" in
${['', ...groupNames(entries)].map((group) => wordCase(entries, group)).join('\n')}
  esac
}
_vp() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command group words flags values
  _vp_line
  [ "$values" = none ] && case "$cur" in -*) values="$flags" ;; *) values="$words" ;; esac
  COMPREPLY=($(compgen -W "$values" -- "$cur"))
}
complete -o default -F _vp vp
`;
}
