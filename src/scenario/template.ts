/** Parses text with placeholders `${NAME}` into a `Template`. */
import { distance } from 'fastest-levenshtein';
import type { ReportProblem } from '../check/check-kind.ts';
import { parseField } from '../check/json/parse-field-path.ts';
import { findSuggestion } from '../errors/suggestion.ts';
import type { LinePiece } from './blocks.ts';
import type { EmbeddedFiles } from './embedded-files.ts';
import { formatList } from './format-list.ts';
import type { Template, TemplatePart } from './scenario.ts';
import { type SourceText, toRange } from './source.ts';

/** The placeholders every scenario has. */
export const builtInPlaceholders = [
  { name: 'INGESTION_URL', meaning: 'scheme, host and port of the target, from `targets.http.base_url`' },
  { name: 'correlation_id', meaning: 'the correlation id of the run, `tr-…`; send it as `X-Request-Id`' },
] as const;

/** Which other names a scenario may use. */
export type Placeholders = {
  /** Names that the config lists under `scenarios.variables`; `'any'` where the config is not at hand. None by default. */
  readonly variables?: readonly string[] | 'any';
  /** Names used by the config's `targets`: secrets that no scenario may read. */
  readonly secrets?: readonly string[];
  /** Names that `.env` has and the config does not list. */
  readonly unlisted?: readonly string[];
  /** Names captured by earlier requests of the scenario. */
  readonly captures?: readonly string[];
  /** The columns of CASES; they are among `captures`. */
  readonly columns?: readonly string[];
};

export type TemplateContext = {
  /** True where `${body.<field>}` may stand: in queries. */
  readonly bodyFields?: true;
  readonly source: SourceText;
  readonly placeholders: Placeholders;
  readonly report: ReportProblem;
  /** What the scenario uses; absent where nothing may be used. */
  readonly files?: EmbeddedFiles;
};

const form = /\$\{([^${}]*)(\}?)/g;
const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/;
const builtIn: readonly string[] = builtInPlaceholders.map(({ name }) => name);

/** Every name that may be used, in the form it is written. */
function listPlaceholders({ variables, captures = [] }: Placeholders): readonly string[] {
  return [...builtIn, ...captures, ...(variables === undefined || variables === 'any' ? [] : variables)];
}

/** The built-in placeholder that `name` is, or is taken for a mistake for. */
export function findSimilarBuiltIn(name: string): string | undefined {
  return builtIn.find((each) => distance(each.toLowerCase(), name.toLowerCase()) <= 2);
}

function isKnown(name: string, { variables, secrets = [], unlisted = [], captures = [] }: Placeholders): boolean {
  if (builtIn.includes(name) || captures.includes(name)) return true;
  if (name.length > 100) return false;
  if (secrets.includes(name) || unlisted.includes(name)) return false;
  if (variables !== 'any') return variables?.includes(name) === true;
  return nameForm.test(name) && findSimilarBuiltIn(name) === undefined;
}

function written(name: string): string {
  return `\${${name}}`;
}

function reportRefused(name: string, start: number, end: number, context: TemplateContext): void {
  const { placeholders, bodyFields, report } = context;
  const names = [...listPlaceholders(placeholders), ...(bodyFields ? ['body.<field>'] : [])];
  const known = formatList(names.map(written));
  const placeholder = written(name);
  if (placeholders.secrets?.includes(name)) {
    report('SCENARIO_PLACEHOLDER_SECRET', start, end, { placeholder, known });
  } else if (placeholders.unlisted?.includes(name)) {
    report('SCENARIO_PLACEHOLDER_UNLISTED', start, end, { placeholder, known });
  } else {
    const near = findSuggestion(name, names);
    const hint = near === undefined ? '' : `did you mean \`${written(near)}\`? `;
    report('SCENARIO_PLACEHOLDER_UNKNOWN', start, end, { placeholder, cure: `${hint}known here are ${known}` });
  }
}

function parsePart(match: RegExpExecArray, piece: LinePiece, context: TemplateContext): TemplatePart {
  const [placeholder, inner = '', closing] = match;
  const start = piece.start + match.index;
  const end = start + placeholder.length;
  const name = inner.trim();
  const field = context.bodyFields ? parseBodyField(name) : undefined;
  if (closing === '') context.report('SCENARIO_PLACEHOLDER_UNCLOSED', start, start + 2, {});
  else if (field !== undefined) reportField(field, start, end, context);
  else if (!isKnown(name, context.placeholders)) reportRefused(name, start, end, context);
  return { placeholder: name, range: toRange(context.source, start, end) };
}

/** The field in `body.<field>`; undefined where `name` is another one. */
export function parseBodyField(name: string): string | undefined {
  return /^body(?:\.|(?=\[))(.+)$/.exec(name)?.[1];
}

function reportField(field: string, start: number, end: number, { report }: TemplateContext): void {
  const path = parseField(field);
  if ('problem' in path) report('SCENARIO_FIELD_INVALID', start, end, { problem: path.problem, cure: path.cure });
}

function append(parts: TemplatePart[], text: string): void {
  const last = parts.at(-1);
  if (text === '') return;
  if (last !== undefined && 'text' in last) parts[parts.length - 1] = { text: last.text + text };
  else parts.push({ text });
}

/** Parses lines, joined with LF whatever the line endings of the file are. */
export function readTemplate(pieces: readonly LinePiece[], context: TemplateContext): Template {
  const parts: TemplatePart[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) append(parts, '\n');
    let from = 0;
    for (const match of piece.text.matchAll(form)) {
      append(parts, piece.text.slice(from, match.index));
      parts.push(parsePart(match, piece, context));
      from = match.index + match[0].length;
    }
    append(parts, piece.text.slice(from));
  }
  const first = pieces.at(0);
  const last = pieces.at(-1);
  const end = (last?.start ?? 0) + (last?.text.length ?? 0);
  return { parts, range: toRange(context.source, first?.start ?? 0, end) };
}
