import { type ErrorCode, errorTable } from '../errors/table.ts';
import { type Values, wordsOf } from '../errors/vp-error.ts';

/** Line and column count from 1; columns in UTF-16 units. */
export type Spot = { readonly line: number; readonly column: number };

/** Something to say about a config. An `error` refuses it, a `warning` does not. */
export type ConfigProblem = {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
  /** As named by the caller, such as `product/platform-config.yaml`. */
  readonly file: string;
  /** Absent where it is about the file as a whole. */
  readonly spot: Spot | undefined;
  /** The line it is about, with what may be a secret replaced. */
  readonly excerpt: string | undefined;
};

/** Readers take one of these and carry on, so that one pass tells everything. */
export type OnProblem = (problem: ConfigProblem) => void;

/** The file a problem is in, and there its place and line. */
export type Where = { readonly file: string; readonly spot?: Spot | undefined; readonly excerpt?: string | undefined };

/** Makes a problem from a row of the error table. */
export function problemOf<C extends ErrorCode>(code: C, where: Where, values: Values<C>): ConfigProblem {
  const { message, cure } = wordsOf(code, values);
  const { file, spot, excerpt } = where;
  const { severity } = errorTable[code];
  return {
    code,
    severity,
    message: harmless(message),
    cure: harmless(cure),
    file,
    spot,
    excerpt: excerpt === undefined ? undefined : harmless(excerpt),
  };
}

/** Values of a file may hold control characters, which a terminal would obey. */
function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** The form for programs: flat, with null where there is nothing. */
export function problemJson({ spot, excerpt, ...problem }: ConfigProblem) {
  return { ...problem, line: spot?.line ?? null, column: spot?.column ?? null, excerpt: excerpt ?? null };
}

/**
 * The problem as compilers print it, several lines without a final line break:
 * `file:line:column: error CODE: what is wrong`, the line with a caret, the cure.
 */
export function problemText({ code, severity, message, cure, file, spot, excerpt }: ConfigProblem): string {
  const place = spot ? `${file}:${spot.line}:${spot.column}` : file;
  const lines = [`${place}: ${severity} ${code}: ${message}`];
  if (spot && excerpt !== undefined) lines.push(...excerptLines(spot, excerpt));
  lines.push(`      cure: ${cure}`);
  return lines.join('\n');
}

function excerptLines({ line, column }: Spot, excerpt: string): string[] {
  const number = String(line).padStart(5);
  const padding = excerpt.slice(0, column - 1).replaceAll(/[^\t]/g, ' ');
  return [`${number} | ${excerpt}`, `${' '.repeat(number.length)} | ${padding}^`];
}
