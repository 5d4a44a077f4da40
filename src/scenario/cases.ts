/**
 * Reads `## CASES`: a Markdown table. Each row is a case, which sends everything the scenario sends with its own values; the
 * names of the columns are placeholders. The column `case` has the names of the cases.
 */
import { type Row, readCsvRows, readJsonRows } from './case-files.ts';
import { type Cell, splitRow } from './case-rows.ts';
import { type EmbeddedFiles, readReference, resolveName } from './embedded-files.ts';
import type { Section } from './outline.ts';
import type { ScenarioCase } from './scenario.ts';
import { type SourceLine, toRange } from './source.ts';
import { builtInPlaceholders, type TemplateContext } from './template.ts';

/** `columns` are the placeholders; empty without the section, or with a head that cannot be read. */
export type CaseTable = { readonly columns: readonly string[]; readonly cases: readonly ScenarioCase[] };

const noCases: CaseTable = { columns: [], cases: [] };

/** Correlation ids number them with four digits. */
export const maxCases = 1000;
const maxColumns = 50;
const maxNameLength = 100;
/** The column with the names. */
const nameColumn = 'case';

/** True for `| --- | :-: |`. */
function isDelimiterRow(cells: readonly Cell[]): boolean {
  return cells.length > 0 && cells.every(({ text }) => /^:?-+:?$/.test(text));
}

/** `head` is undefined where it cannot be read. The cases of a file have the position of the line that names it. */
type Table = { readonly head: Row | undefined; readonly rows: readonly Row[]; readonly position?: SourceLine };

/** A table in the text, or the file that a line `from: orders.csv` names. */
function readRows(section: Section, files: EmbeddedFiles, context: TemplateContext): Table | undefined {
  const block = section.blocks.find((each) => each.kind === 'text' && readReference(each, 'from'));
  const reference = block && readReference(block, 'from');
  if (block && reference) return readFileRows(block.lines[0], reference, section, files, context);
  const [heading] = section.heading.lines;
  const [head, delimiter, ...rows] = collectRows(section, context);
  if (head && delimiter && isDelimiterRow(delimiter.cells)) return { head, rows };
  const { line } = head ?? { line: heading };
  context.report('SCENARIO_CASES_HEAD', line.start, line.end, { max: maxColumns });
  return undefined;
}

function readFileRows(
  position: SourceLine,
  { name, start, end }: NonNullable<ReturnType<typeof readReference>>,
  section: Section,
  files: EmbeddedFiles,
  { report }: TemplateContext,
): Table | undefined {
  for (const { kind, lines } of section.blocks)
    if ((kind === 'text' || kind === 'fence') && lines[0] !== position)
      report('SCENARIO_CASES_TEXT', lines[0].start, lines[0].end, {});
  const file = files.get(resolveName(name, ''));
  const read = /\.csv$/i.test(name) ? readCsvRows : /\.json$/i.test(name) ? readJsonRows : undefined;
  if (!read) report('SCENARIO_CASES_FILE', start, end, { name, problem: 'its name ends neither in .csv nor in .json' });
  else if (!file) report('SCENARIO_FILE_ABSENT', start, end, { name });
  const { rows = [], problem } = (file && read?.(file)) ?? {};
  if (problem !== undefined) report('SCENARIO_CASES_FILE', start, end, { name, problem });
  const [head, ...others] = rows;
  if (head) return { head, rows: others, position };
  if (file && read && problem === undefined)
    report('SCENARIO_CASES_FILE', start, end, { name, problem: 'it is empty' });
  return undefined;
}

function collectRows(section: Section, { report }: TemplateContext): Row[] {
  return section.blocks.flatMap(({ kind, lines: [line] }) => {
    if (kind !== 'text' && kind !== 'fence' && kind !== 'heading') return [];
    const cells = kind === 'text' ? splitRow(line) : undefined;
    if (!cells) report('SCENARIO_CASES_TEXT', line.start, line.end, {});
    return cells ? [{ line, cells }] : [];
  });
}

/** The names of the columns that can be placeholders; the others are reported. */
function readColumns(cells: readonly Cell[], { report, placeholders }: TemplateContext): string[] {
  const { variables, secrets = [], unlisted = [] } = placeholders;
  const listed = variables === undefined || variables === 'any' ? [] : variables;
  const names = new Set([...builtInPlaceholders.map(({ name }) => name), ...listed, ...secrets, ...unlisted]);
  const columns: string[] = [];
  for (const { text, start } of cells) {
    const isName = /^[a-z_][a-z0-9_]{0,49}$/i.test(text);
    if (!isName) report('SCENARIO_CASES_COLUMN', start, start + Math.max(1, text.length), {});
    else if (names.has(text)) report('SCENARIO_CASES_COLUMN_TAKEN', start, start + text.length, { name: text });
    else columns.push(text);
    names.add(text);
  }
  return columns;
}

/** Reads the rows below the head and reports names that are missing, too long or doubled. */
class CaseReader {
  readonly #columns: readonly string[];
  readonly #context: TemplateContext;
  readonly #names = new Set<string>();

  constructor(columns: readonly string[], context: TemplateContext) {
    this.#columns = columns;
    this.#context = context;
  }

  /** `position` replaces the row in reports. */
  read({ line, cells }: Row, index: number, position = line): ScenarioCase | undefined {
    const { source, report } = this.#context;
    const columns = this.#columns;
    if (cells.length !== columns.length) {
      report('SCENARIO_CASE_CELLS', line.start, line.end, { count: cells.length, columns: columns.length });
      return undefined;
    }
    const values = columns.map((name, column) => [name, { text: cells[column]?.text ?? '', isText: true }] as const);
    const nameCell = cells[columns.indexOf(nameColumn)];
    const name = nameCell?.text ?? `row ${index + 1}`;
    const [start, end] =
      nameCell && name !== '' ? [nameCell.start, nameCell.start + name.length] : [line.start, line.end];
    if (name === '' || name.length > maxNameLength) report('SCENARIO_CASE_NAME', start, end, { max: maxNameLength });
    else if (this.#names.has(name)) report('SCENARIO_CASE_DOUBLED', start, end, { name });
    this.#names.add(name);
    return { name, values: new Map(values), range: toRange(source, position.start, position.end) };
  }
}

function reportUnusedColumns(head: Row, columns: readonly string[], { source, report }: TemplateContext): void {
  const used = new Set(Array.from(source.text.matchAll(/\$\{\s*(\w+)\s*\}/g), ([, name]) => name));
  for (const [index, name] of columns.entries()) {
    const start = head.cells[index]?.start ?? head.line.start;
    if (name !== nameColumn && !used.has(name))
      report('SCENARIO_CASES_COLUMN_UNUSED', start, start + name.length, { placeholder: `\${${name}}` });
  }
}

/** The table of the section. Everything that cannot be read is reported. */
export function readCases(section: Section | undefined, files: EmbeddedFiles, context: TemplateContext): CaseTable {
  if (!section) return noCases;
  const { report } = context;
  const [heading] = section.heading.lines;
  const { head, rows = [], position } = readRows(section, files, context) ?? {};
  if (!head) return noCases;
  if (head.cells.length > maxColumns) {
    report('SCENARIO_CASES_HEAD', head.line.start, head.line.end, { max: maxColumns });
    return noCases;
  }
  const columns = readColumns(head.cells, context);
  if (columns.length < head.cells.length) return { columns, cases: [] };
  if (rows.length === 0) report('SCENARIO_CASES_EMPTY', heading.start, heading.end, {});
  if (rows.length > maxCases) {
    report('SCENARIO_CASES_TOO_MANY', heading.start, heading.end, { count: rows.length, max: maxCases });
    return { columns, cases: [] };
  }
  reportUnusedColumns(head, columns, context);
  const reader = new CaseReader(columns, context);
  return {
    columns,
    cases: rows.map((row, index) => reader.read(row, index, position)).filter((row) => row !== undefined),
  };
}
