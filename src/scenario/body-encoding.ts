/**
 * Bodies that are written for people and encoded when they are sent: a fence `form` with a line `name = value` for each field, a
 * fence `multipart` with files too (multipart.ts), and a fence `graphql` with a query and, after a line `variables`, their JSON. Only
 * where the scenario has no `Content-Type` of its own: then its body is sent as it stands.
 */
import type { CheckKind } from '../check/check-kind.ts';
import { getCheckKind } from '../check/kinds.ts';
import { parseCheck } from '../check/parse-check.ts';
import type { FencedBlock, LinePiece } from './blocks.ts';
import { readMultipart } from './multipart.ts';
import type { BodyEncoding, ScenarioCheck, Template, Trigger, TriggerHeader } from './scenario.ts';
import { readTemplate, type TemplateContext } from './template.ts';

/** The body and its encoding; undefined where the fence has no encoding of its own. */
export type EncodedBody = { readonly encoding: BodyEncoding; readonly body: Template };

/** Values of a form are encoded after the lines are split, so line breaks within them are marked; no scenario contains these. */
const markedBreaks: readonly (readonly [string, string])[] = [
  ['\n', '\u0001'],
  ['\r', '\u0002'],
];

/** `info` is the word after the marks of the fence. */
export function readEncodedBody(
  info: string | undefined,
  pieces: readonly LinePiece[],
  context: TemplateContext,
): EncodedBody | undefined {
  const name = info?.toLowerCase();
  if (name === 'form') return readForm(pieces, context);
  if (name === 'messages') return { encoding: { kind: 'messages' }, body: readTemplate(pieces, context) };
  if (name === 'multipart') return readMultipart(pieces, context);
  return name === 'graphql' ? readGraphql(pieces, context) : undefined;
}

function readForm(pieces: readonly LinePiece[], context: TemplateContext): EncodedBody {
  for (const { text, start } of pieces) {
    if (text.trim() === '' || /^\s*[^\s=][^=]*=/.test(text)) continue;
    const values = { problem: 'a line of the form has no `=`', cure: 'write each field as `name = value`' };
    context.report('SCENARIO_BODY_ENCODING', start, start + Math.max(1, text.length), values);
  }
  return { encoding: { kind: 'form' }, body: readTemplate(pieces, context) };
}

function readGraphql(pieces: readonly LinePiece[], context: TemplateContext): EncodedBody {
  const at = pieces.findIndex(({ text }) => /^variables:?$/.test(text.trim()));
  const queryPieces = at === -1 ? pieces : pieces.slice(0, at);
  const variables = at === -1 ? [] : pieces.slice(at + 1);
  for (const { text, start } of queryPieces) {
    const match = /\$\{\w+\}/.exec(text);
    if (match === null) continue;
    const values = {
      problem: `\`${match[0]}\` stands in a query`,
      cure: 'declare a variable of the query, and write its value below a line `variables`, as in `{ "id": "${ORDER}" }`',
    };
    context.report('SCENARIO_BODY_ENCODING', start + match.index, start + match.index + match[0].length, values);
  }
  const body = readTemplate(variables, context);
  reportInvalidVariables(body, variables, context);
  const query = queryPieces
    .map(({ text }) => text)
    .join('\n')
    .trim();
  return { encoding: { kind: 'graphql', query }, body };
}

/** Placeholders stand for a digit, which is right within a text and outside of one. */
function reportInvalidVariables({ parts }: Template, pieces: readonly LinePiece[], { report }: TemplateContext): void {
  const text = parts.map((part) => ('text' in part ? part.text : '0')).join('');
  const [first] = pieces;
  if (first === undefined || text.trim() === '') return;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  } catch {
    // Reported below, like a value that is not an object.
  }
  const last = pieces.at(-1) ?? first;
  const values = { problem: 'the variables are not a JSON object', cure: 'write them as `{ "id": 1 }`' };
  report('SCENARIO_BODY_ENCODING', first.start, last.start + last.text.length, values);
}

/** Bodies that are one text once the placeholders are replaced. */
export type TextEncoding = Exclude<BodyEncoding, { kind: 'multipart' | 'messages' }>;

export function getEncodedContentType({ kind }: TextEncoding): string {
  return kind === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
}

/** A value of a placeholder as it stands in a line of a form. */
export function markLineBreaks(value: string): string {
  return markedBreaks.reduce((text, [sign, mark]) => text.replaceAll(sign, mark), value);
}

/** The body as it is sent; `text` has its placeholders replaced. */
export function encodeBody(encoding: TextEncoding, text: string): string {
  if (encoding.kind === 'graphql') {
    const variables = text.trim() === '' ? '' : `,"variables":${text.trim()}`;
    return `{"query":${JSON.stringify(encoding.query)}${variables}}`;
  }
  const fields = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()].map(unmarkLineBreaks);
    });
  return new URLSearchParams(fields).toString();
}

/** The messages of a fence `messages`, one on each line; `text` has its placeholders replaced. */
export function splitMessages(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => unmarkLineBreaks(line.trim()));
}

function unmarkLineBreaks(value: string): string {
  return markedBreaks.reduce((text, [sign, mark]) => text.replaceAll(mark, sign), value);
}

/** An answer with `errors` has the status 200. A scenario that names `errors` itself has its own rule for them. */
const noErrors = 'body has no errors';
const namesErrors = /\berrors\b/;

/** The checks, and `body has no errors` at the place of the query where none of them names `errors`. */
export function withImpliedChecks(
  checks: readonly ScenarioCheck[],
  trigger: Trigger | undefined,
  kinds: readonly CheckKind[] | undefined,
): readonly ScenarioCheck[] {
  if (trigger?.encoding?.kind !== 'graphql') return checks;
  if (checks.some(({ text, definition }) => definition.looksAt === 'response' && namesErrors.test(text))) return checks;
  const check = parseCheck(noErrors, () => {}, 'refused', kinds);
  if (check === undefined) return checks;
  return [...checks, { check, definition: getCheckKind(check, kinds), text: noErrors, range: trigger.range }];
}

/** A multipart body has a field, and its type is not written without the boundary that splits it. */
export function checkMultipart(
  fence: FencedBlock | undefined,
  headers: readonly TriggerHeader[],
  { report }: TemplateContext,
): void {
  if (fence?.info.toLowerCase() !== 'multipart') return;
  const [opening] = fence.lines;
  const empty = { problem: 'it has no field', cure: 'write a line `name = value` or `name = @file`' };
  if (fence.content.every(({ text }) => text.trim() === ''))
    report('SCENARIO_BODY_ENCODING', opening.start, opening.end, empty);
  const own = headers.find(({ name }) => name.toLowerCase() === 'content-type');
  if (!own) return;
  if (own.value.parts.some((part) => 'text' in part && part.text.includes('boundary='))) return;
  const { start, end } = own.range;
  const values = {
    problem: 'the type of a multipart body has a boundary, which is chosen when it is sent',
    cure: 'remove the line `Content-Type`',
  };
  report('SCENARIO_BODY_ENCODING', start.offset, end.offset, values);
}
