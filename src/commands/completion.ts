/**
 * Completion of the command line in a shell: one script with every name in it.
 *
 * Rejected: yargs' own, which starts vp and loads yargs at every press of the key, needs bash 4, and does not see what
 * stands behind `load` in the catalogue.
 */
import { exitCode } from '../errors/exit-code.ts';
import { type CatalogueEntry, catalogue } from './catalogue.ts';
import { type Command, command, type Flag, type Flags } from './command.ts';
import { commonFlags } from './common-flags.ts';
import { namesBelow } from './find-command.ts';

/** One word of the shell script, safe in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function visible(flags: Flags): [string, Flag][] {
  const all: Flags = { ...flags, ...commonFlags };
  return Object.entries(all).filter(([, flag]) => !flag.hidden);
}

/** `<command> <flag>) values` for each flag with fixed values; files where a value is asked for that is not fixed. */
function valueCases({ name, flags }: Command): string[] {
  return visible(flags)
    .filter(([, flag]) => flag.type !== 'boolean')
    .map(
      ([flagName, flag]) =>
        `    ${quoted(`${name} --${flagName}`)}) values=${quoted(flag.choices?.join(' ') ?? '')}; return ;;`,
    );
}

function flagCase({ name, flags }: Command): string {
  return `    ${quoted(name)}) flags=${quoted(
    visible(flags)
      .map(([flag]) => `--${flag}`)
      .join(' '),
  )} ;;`;
}

function groupsOf(entries: readonly CatalogueEntry[]): string[] {
  return [
    ...new Set(entries.filter((entry) => entry.name.includes(' ')).map((entry) => entry.name.split(' ', 1)[0] ?? '')),
  ];
}

function wordCase(entries: readonly CatalogueEntry[], group: string): string {
  return `    ${quoted(group)}) words=${quoted(namesBelow(entries, group).join(' '))} ;;`;
}

/** The script for bash (3.2 and newer; through bashcompinit for zsh). Sets COMPREPLY; an empty one falls back to files. */
export function completionScript(entries: readonly CatalogueEntry[], commands: readonly Command[]): string {
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
${['', ...groupsOf(entries)].map((group) => wordCase(entries, group)).join('\n')}
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

const preludes: Readonly<Record<string, string>> = {
  bash: '# Completion of vp for bash. In ~/.bashrc: source <(vp completion bash)\n',
  zsh: '# Completion of vp for zsh. In ~/.zshrc: source <(vp completion zsh)\nautoload -U +X bashcompinit && bashcompinit\n',
};

/** `vp completion`. */
export const completionCommand = command({
  name: 'completion',
  summary: 'print a script that completes vp in your shell',
  positionals: [{ name: 'shell', describe: 'bash or zsh', required: true }],
  flags: {},
  examples: [['source <(vp completion bash)', 'complete in this shell; in ~/.bashrc for every shell']],
  async run({ words: [shell = ''], json, environment }) {
    const prelude = preludes[shell];
    if (prelude === undefined) {
      const { vpError } = await import('../errors/vp-error.ts');
      throw vpError('COMMAND_WORD_UNEXPECTED', { command: 'vp completion', word: shell });
    }
    const commands = await Promise.all(catalogue.map((entry) => entry.load()));
    const script = `${prelude}${completionScript(catalogue, commands)}`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ script })}\n` : script);
    return exitCode.done;
  },
});
