/** `vp --help`: every command by its first word, in groups. One screen; `vp <word> --help` has the rest. */
import { exitCode } from '../errors/exit-code.ts';
import { wrapText } from '../report/text/wrap-text.ts';
import type { CommandEntry, CommandGroup } from './command.ts';

const exitCodes = `Exit codes:
  ${exitCode.done}    done, and every check passed
  ${exitCode.checkFailed}    a check was false, or only partly done
  ${exitCode.invalidInput}    the command line or an input file is invalid
  ${exitCode.notReady}    not ready yet
  ${exitCode.broken}    could not be judged or reached
  ${exitCode.interrupted}  interrupted

With --json, standard output has JSON only; an error is the last document:
{"error": {"code", "message", "cure", "place", "exit_code"}}`;

/** For the help of one command. */
export const exitCodesLine =
  `Exit codes: ${exitCode.done} done, and every check passed; ${exitCode.checkFailed} a check was false, or only partly done; ` +
  `${exitCode.invalidInput} the command line or an input file is invalid; ${exitCode.notReady} not ready yet; ` +
  `${exitCode.broken} could not be judged or reached; ${exitCode.interrupted} interrupted.`;

export const maxHelpWidth = 110;

/** `internal` commands are left out; a command without a group is listed under Other. */
export type OverviewOptions = {
  readonly catalogue: readonly CommandEntry[];
  readonly groups: readonly CommandGroup[];
  readonly internal: readonly string[];
  /** What to type for `vp`. */
  readonly program?: string;
};

const column = 18;

/** What follows a word, such as `show, cancel` for `runs`. */
function listSubcommands(catalogue: readonly CommandEntry[], word: string): readonly string[] {
  return catalogue.flatMap(({ name }) => (name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : []));
}

function formatWord(
  word: string,
  ownSummary: string | undefined,
  { catalogue }: OverviewOptions,
  columns: number,
): string[] {
  const entry = catalogue.find(({ name }) => name === word);
  const subcommands = listSubcommands(catalogue, word);
  const summary = entry?.summary ?? ownSummary ?? '';
  if (!entry && subcommands.length === 0) return [];
  const more = subcommands.length === 0 ? [] : [`${entry ? 'also: ' : ''}${subcommands.join(', ')}`];
  // Together where that saves a line: the list of all commands is two screens long.
  const wrap = (text: string): string[] => wrapText(text, columns, column).split('\n');
  const separate = [summary, ...more];
  const joined = separate.join('; ');
  const lines = wrap(joined).length < separate.flatMap(wrap).length ? [joined] : separate;
  return lines.map((text, index) => {
    const start = index === 0 ? `  ${word}`.padEnd(column) : ' '.repeat(column);
    return `${start}${wrapText(text, columns, column)}`;
  });
}

export function renderOverview(options: OverviewOptions, width: number): string {
  const { catalogue, groups, internal, program = 'vp' } = options;
  const columns = Math.min(width, maxHelpWidth);
  const grouped = new Set(groups.flatMap(({ words }) => Object.keys(words)));
  const others = catalogue
    .map(({ name }) => name.split(' ', 1)[0] ?? '')
    .filter((word) => !grouped.has(word) && !internal.includes(word));
  const otherWords = Object.fromEntries(others.map((word) => [word, undefined]));
  const all = others.length === 0 ? groups : [...groups, { title: 'Other', words: otherWords }];
  const sections = all.map(({ title, words }) => {
    const lines = Object.entries(words).flatMap(([word, summary]) => formatWord(word, summary, options, columns));
    return lines.length === 0 ? '' : `${title}\n${lines.join('\n')}\n`;
  });
  return `vp <command> [flags], or vp --version

Verifies a running application by scenario.
New here? Try \`vp demo\`, then read \`vp docs first-verdict\`.
${program === 'vp' ? '' : `vp is not on PATH: type ${program} for it.\n`}
${sections.filter(Boolean).join('\n')}
Common flags
${'  -h, --help'.padEnd(column)}print the help of a command, such as \`vp run --help\`
${'  --json'.padEnd(column)}write JSON to standard output
${'  --log-level'.padEnd(column)}error, warn, info or debug, on standard error

${exitCodes}
`;
}
