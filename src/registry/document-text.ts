/**
 * What a text of a document must not have in it: characters that cannot be seen or that turn the order of letters round,
 * with which a document would look like another one on a terminal or a page.
 */
import type { DocumentProblem } from './server-document.ts';

const deepest = 16;
const longestText = 8_000;
/** Controls and formats but newline, tab and the joiners of letters; separators of lines; halves of pairs. */
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

function problemOf(text: string): string | undefined {
  if (text.length > longestText) return `has more than ${longestText} characters`;
  const [found] = hidden.exec(text) ?? [];
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `has a character in it that cannot be seen (U+${code})`;
}

function* walk(value: unknown, where: string, depth: number): Generator<DocumentProblem> {
  if (typeof value === 'string') {
    const problem = problemOf(value);
    if (problem !== undefined) yield { where, problem };
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > deepest) {
    yield { where: where.slice(0, 200), problem: `nests deeper than ${deepest}` };
    return;
  }
  const isList = Array.isArray(value);
  for (const [key, part] of Object.entries(value)) {
    const problem = problemOf(key);
    if (problem === undefined) yield* walk(part, isList ? `${where}[${key}]` : `${where}.${key}`, depth + 1);
    else yield { where, problem: `has a member whose name ${problem}` };
  }
}

/** All of them in a document, whatever it is; one where it nests too deep. */
export function plainTextProblems(value: unknown): readonly DocumentProblem[] {
  return [...walk(value, '', 0)];
}
