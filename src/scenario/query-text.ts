/** The text of one query: one read-only statement with placeholders only where a parameter is allowed. */
import type { FencedBlock } from './blocks.ts';
import { type JoinedText, joinPieces, splitPiecesAt } from './joined-text.ts';
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

function quotedCure(kind: keyof typeof quotedNames, placeholder: string, isWholeText: boolean): string {
  if (kind === 'comment') return 'take it out of the comment';
  if (kind === 'identifier') return 'a parameter cannot be the name of a table or column: write the name itself';
  if (isWholeText) return `write \`= ${placeholder}\` without quotation marks`;
  return `join it, without quotation marks around it, as in \`LIKE '%' || ${placeholder} || '%'\``;
}

/** The first placeholder of every string, quoted name or comment. */
function reportQuoted(sql: JoinedText, tokens: readonly SqlToken[], { report }: TemplateContext): void {
  for (const { kind, start, end } of tokens) {
    const text = sql.text.slice(start, end);
    const match = isQuoted(kind) ? /\$\{[^${}]*\}/.exec(text) : null;
    if (match === null || !isQuoted(kind)) continue;
    const [placeholder] = match;
    const offset = start + match.index;
    const cure = quotedCure(kind, placeholder, text.slice(1, -1) === placeholder);
    const range = [sql.toSourceOffset(offset), sql.toSourceOffset(offset + placeholder.length)] as const;
    report('SCENARIO_QUERY_PLACEHOLDER_QUOTED', ...range, { where: quotedNames[kind], cure });
  }
}

function reportParameters(sql: JoinedText, tokens: readonly SqlToken[], { report }: TemplateContext): void {
  for (const { kind, start, end } of tokens) {
    if (kind !== 'parameter') continue;
    report('SCENARIO_QUERY_PARAMETER', sql.toSourceOffset(start), sql.toSourceOffset(end), {
      word: sql.text.slice(start, end),
    });
  }
}

function reportProblem(
  sql: JoinedText,
  problem: SqlProblem,
  { lines: [opening] }: FencedBlock,
  context: TemplateContext,
): void {
  const { kind, start, end, word } = problem;
  const range =
    kind === 'empty'
      ? ([opening.start, opening.end] as const)
      : ([sql.toSourceOffset(start), sql.toSourceOffset(end)] as const);
  context.report(codes[kind], ...range, { word });
}

/** Parses the statement of a fence; undefined if a problem was reported. A trailing semicolon is removed. */
export function readQueryText(fence: FencedBlock, context: TemplateContext): Template | undefined {
  const sql = joinPieces(fence.content);
  const statement = readStatement(sql.text);
  if (!('sql' in statement)) {
    reportProblem(sql, statement, fence, context);
    return undefined;
  }
  reportQuoted(sql, statement.tokens, context);
  reportParameters(sql, statement.tokens, context);
  return readTemplate(splitPiecesAt(fence.content, statement.sql.length), { ...context, bodyFields: true });
}
