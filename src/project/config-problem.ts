import { type ErrorCode, errorTable } from '../errors/table.ts';
import { type ErrorValues, formatError } from '../errors/vp-error.ts';

/** Line and column, from 1; columns in UTF-16 units. */
export type ConfigPosition = { readonly line: number; readonly column: number };

/** A problem of a config. An `error` makes it invalid, a `warning` does not. */
export type ConfigProblem = {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
  /** As named by the caller, such as `product/platform-config.yaml`. */
  readonly file: string;
  /** Undefined when the problem concerns the file as a whole. */
  readonly position: ConfigPosition | undefined;
  /** The affected line, with possible secrets replaced. */
  readonly excerpt: string | undefined;
};

/** Readers report to it and continue, so that one pass reports all problems. */
export type OnProblem = (problem: ConfigProblem) => void;

/** The file of a problem, and the position in it. */
export type ProblemLocation = {
  readonly file: string;
  readonly position?: ConfigPosition | undefined;
  readonly excerpt?: string | undefined;
};

export function createConfigProblem<C extends ErrorCode>(
  code: C,
  location: ProblemLocation,
  values: ErrorValues<C>,
): ConfigProblem {
  const { message, cure } = formatError(code, values);
  const { file, position, excerpt } = location;
  const { severity } = errorTable[code];
  return {
    code,
    severity,
    message: replaceControlCharacters(message),
    cure: replaceControlCharacters(cure),
    file,
    position,
    excerpt: excerpt === undefined ? undefined : replaceControlCharacters(excerpt),
  };
}

/** Values of a file may contain control characters, which a terminal would execute. */
function replaceControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** As flat JSON, with null for absent members. */
export function toProblemJson({ position, excerpt, ...problem }: ConfigProblem) {
  return { ...problem, line: position?.line ?? null, column: position?.column ?? null, excerpt: excerpt ?? null };
}

/**
 * The problem in the format of compilers, several lines without a final line break: `file:line:column: error CODE:
 * message`, the line with a caret, the fix.
 */
export function formatConfigProblem({ code, severity, message, cure, file, position, excerpt }: ConfigProblem): string {
  const location = position ? `${file}:${position.line}:${position.column}` : file;
  const lines = [`${location}: ${severity} ${code}: ${message}`];
  if (position && excerpt !== undefined) lines.push(...formatExcerpt(position, excerpt));
  lines.push(`      fix: ${cure}`);
  return lines.join('\n');
}

function formatExcerpt({ line, column }: ConfigPosition, excerpt: string): string[] {
  const number = String(line).padStart(5);
  const padding = excerpt.slice(0, column - 1).replaceAll(/[^\t]/g, ' ');
  return [`${number} | ${excerpt}`, `${' '.repeat(number.length)} | ${padding}^`];
}
