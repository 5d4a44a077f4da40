/** The text of one query: one reading statement, whose placeholders stand where a parameter can stand. */
import type { Fence } from './blocks.ts';
import { cutAt, type Joined, joined } from './joined.ts';
import type { Template } from './scenario.ts';
import type { SqlToken } from './sql-lexer.ts';
import { readStatement, type SqlProblem } from './sql-statement.ts';
import { readTemplate, type TemplateContext } from './template.ts';

const codes = {
  empty: 'SCENARIO_QUERY_EMPTY',
  several: 'SCENARIO_QUERY_SEVERAL',
  not_reading: 'SCENARIO_QUERY_NOT_READING',
  unclosed: 'SCENARIO_QUERY_UNCLOSED',
} as const;

const quotedNames = {
  string: 'a string',
  dollar: 'a string between dollar signs',
  identifier: 'a quoted name',
  comment: 'a comment',
} as const;

function isQuoted(kind: SqlToken['kind']): kind is keyof typeof quotedNames {
  return kind in quotedNames;
}

function quotedCure(kind: keyof typeof quotedNames, placeholder: string, whole: boolean): string {
  if (kind === 'comment') return 'take it out of the comment';
  if (kind === 'identifier') return 'a parameter cannot be the name of a table or column: write the name itself';
  if (whole) return `write \`= ${placeholder}\` without quotation marks`;
  return `join it, without quotation marks around it, as in \`LIKE '%' || ${placeholder} || '%'\``;
}

/** The first placeholder of every string, quoted name or comment. */
function reportQuoted(sql: Joined, tokens: readonly SqlToken[], { report }: TemplateContext): void {
  for (const { kind, start, end } of tokens) {
    const text = sql.text.slice(start, end);
    const found = isQuoted(kind) ? /\$\{[^${}]*\}/.exec(text) : null;
    if (found === null || !isQuoted(kind)) continue;
    const [placeholder] = found;
    const at = start + found.index;
    const cure = quotedCure(kind, placeholder, text.slice(1, -1) === placeholder);
    const place = [sql.placeOf(at), sql.placeOf(at + placeholder.length)] as const;
    report('SCENARIO_QUERY_PLACEHOLDER_QUOTED', ...place, { where: quotedNames[kind], cure });
  }
}

function reportParameters(sql: Joined, tokens: readonly SqlToken[], { report }: TemplateContext): void {
  for (const { kind, start, end } of tokens) {
    if (kind !== 'parameter') continue;
    report('SCENARIO_QUERY_PARAMETER', sql.placeOf(start), sql.placeOf(end), { word: sql.text.slice(start, end) });
  }
}

function reportProblem(sql: Joined, problem: SqlProblem, { lines: [opening] }: Fence, context: TemplateContext): void {
  const { kind, start, end, word } = problem;
  const place =
    kind === 'empty' ? ([opening.start, opening.end] as const) : ([sql.placeOf(start), sql.placeOf(end)] as const);
  context.report(codes[kind], ...place, { word });
}

/** Reads the statement of a fence; undefined after a report. A trailing semicolon is left out. */
export function readQueryText(fence: Fence, context: TemplateContext): Template | undefined {
  const sql = joined(fence.content);
  const statement = readStatement(sql.text);
  if (!('sql' in statement)) {
    reportProblem(sql, statement, fence, context);
    return undefined;
  }
  reportQuoted(sql, statement.tokens, context);
  reportParameters(sql, statement.tokens, context);
  return readTemplate(cutAt(fence.content, statement.sql.length), { ...context, bodyFields: true });
}
