/** Help texts, from the declarations that are also used for parsing. Loaded for `--help` only. */

import { measureWidth } from '../report/text/text-width.ts';
import { wrapText } from '../report/text/wrap-text.ts';
import type { Command, CommandEntry, Flag, FlagDefinitions, Positional } from './command.ts';
import { commonFlags } from './common-flags.ts';
import { exitCodesLine, maxHelpWidth } from './overview.ts';

type Row = readonly [term: string, text: string];

/** A longer term stands on a line of its own, so that one flag does not take the width from all texts. */
const maxTermWidth = 26;

function formatRows(title: string, rows: readonly Row[], columns: number): string {
  if (rows.length === 0) return '';
  const widths = rows.map(([term]) => measureWidth(term)).filter((width) => width <= maxTermWidth);
  const column = Math.max(8, ...widths) + 4;
  const lines = rows.map(([term, text]) => {
    const wrapped = wrapText(text, columns, column);
    const isLong = measureWidth(term) > column - 4;
    return isLong ? `  ${term}\n${' '.repeat(column)}${wrapped}` : `  ${term.padEnd(column - 2)}${wrapped}`;
  });
  return `${title}:\n${lines.join('\n')}\n\n`;
}

function formatPositional({ name, required, many }: Positional): string {
  const dots = many ? '…' : '';
  return required ? `<${name}>${dots}` : `[${name}]${dots}`;
}

/** Such as `vp run <scenario>… [flags]`. */
function formatUsage({ name, positionals }: Pick<Command, 'name' | 'positionals'>): string {
  return ['vp', name, ...positionals.map(formatPositional), '[flags]'].join(' ');
}

/** Dots after the value: the flag may be repeated. */
function toRow(name: string, flag: Flag): Row {
  const alias = flag.alias === undefined ? '' : `-${flag.alias}, `;
  const value = flag.type === 'boolean' ? '' : ` ${flag.placeholder ?? '<value>'}`;
  const dots = flag.type === 'strings' ? '…' : '';
  const word = flag.default === true ? `--[no-]${name}` : `--${name}`;
  const hasVisibleDefault = flag.default !== undefined && typeof flag.default !== 'boolean';
  const facts = [
    ...(flag.choices ? [`one of ${flag.choices.join(', ')}`] : []),
    ...Object.entries(flag.synonyms ?? {}).map(([word, choice]) => `${word} is ${choice}`),
    ...(hasVisibleDefault ? [`default ${flag.default}`] : []),
  ];
  const more = facts.length === 0 ? '' : ` (${facts.join('; ')})`;
  const variable = flag.variable === undefined ? '' : ` [${flag.variable}]`;
  return [`${alias}${word}${value}${dots}`, `${flag.describe}${more}${variable}`];
}

function listRows(flags: FlagDefinitions, isIncluded: (name: string) => boolean): Row[] {
  return Object.entries(flags)
    .filter(([name, { hidden }]) => !hidden && isIncluded(name))
    .map(([name, flag]) => toRow(name, flag));
}

function formatFlags({ flags, flagGroups = {} }: Pick<Command, 'flags' | 'flagGroups'>, columns: number): string {
  const grouped = new Set(Object.values(flagGroups).flat());
  const groups = Object.entries(flagGroups).map(([title, names]) =>
    formatRows(
      title,
      listRows(flags, (name) => names.includes(name)),
      columns,
    ),
  );
  const others = formatRows(
    'Flags',
    listRows(flags, (name) => !grouped.has(name)),
    columns,
  );
  return [others, ...groups].join('');
}

const formatCommonFlags = (columns: number): string =>
  formatRows(
    'Common flags',
    listRows(commonFlags, () => true),
    columns,
  );

/** A command stays on one line, so that it can be pasted; its meaning follows, below it where both are too long. */
function formatExamples(examples: Command['examples'], columns: number): string {
  const isShort = ([line, meaning]: Row): boolean => measureWidth(line) + 4 + measureWidth(meaning) + 2 <= columns;
  const column = Math.max(0, ...examples.filter(isShort).map(([line]) => measureWidth(line))) + 4;
  const lines = examples.map((example) => {
    const [line, meaning] = example;
    const start = measureWidth(line) + 2 <= column - 2 ? column : measureWidth(line) + 4;
    if (start + measureWidth(meaning) <= columns) return `  ${line.padEnd(start - 2)}${meaning}`;
    return `  ${line}\n      ${wrapText(meaning, columns, 6)}`;
  });
  return lines.length === 0 ? '' : `Examples:\n${lines.join('\n')}\n\n`;
}

/** Paragraphs and their lines as they are written; a line that is too long is wrapped. */
function wrapParagraphs(text: string, columns: number): string {
  const wrapLine = (line: string): string => {
    const content = line.trimStart();
    const indent = line.length - content.length;
    return `${' '.repeat(indent)}${wrapText(content, columns, indent)}`;
  };
  return text.trim().split('\n').map(wrapLine).join('\n');
}

const listSubcommands = (catalogue: readonly CommandEntry[], name: string): readonly CommandEntry[] =>
  catalogue.filter((entry) => entry.name.startsWith(`${name} `));

const toCommandRow = ({ name, summary }: CommandEntry): Row => [`vp ${name}`, summary];

/** `width` is in columns; `catalogue` may have subcommands. */
export function renderCommandHelp(command: Command, width: number, catalogue: readonly CommandEntry[] = []): string {
  const columns = Math.min(width, maxHelpWidth);
  const positionals = command.positionals.map(({ name, describe }): Row => [name, describe]);
  return [
    `${formatUsage(command)}\n\n${wrapText(command.summary, columns, 0)}\n\n`,
    formatRows('Subcommands', listSubcommands(catalogue, command.name).map(toCommandRow), columns),
    formatRows('Arguments', positionals, columns),
    formatFlags(command, columns),
    formatCommonFlags(columns),
    formatExamples(command.examples, columns),
    command.notes === undefined ? '' : `${wrapParagraphs(command.notes, columns)}\n\n`,
    `${wrapText(exitCodesLine, columns, 0)}\n`,
  ].join('');
}

/** Lists the commands whose first word is `group`; `summary` says what it is. */
export async function renderGroupHelp(
  catalogue: readonly CommandEntry[],
  group: string,
  width: number,
  summary?: string,
): Promise<string> {
  const columns = Math.min(width, maxHelpWidth);
  const entries = listSubcommands(catalogue, group);
  const commands = await Promise.all(entries.map((entry) => entry.load()));
  const firstExamples = commands.flatMap(({ examples }) => examples.slice(0, 1));
  return [
    `vp ${group} <command> [flags]\n\n${summary === undefined ? '' : `${wrapText(summary, columns, 0)}\n\n`}`,
    formatRows('Commands', entries.map(toCommandRow), columns),
    formatExamples(firstExamples, columns),
    formatCommonFlags(columns),
    `See \`vp <command> --help\` for details.\n\n${wrapText(exitCodesLine, columns, 0)}\n`,
  ].join('');
}
