/**
 * Characters that texts of a document must not contain: invisible ones and those that change the direction of writing, with
 * which a document would look like another one on a terminal or a page.
 */
import type { DocumentProblem } from './document-types.ts';

const maxDepth = 16;
const maxTextLength = 8_000;
/** Control and format characters except newline, tab and the letter joiners; line separators; lone surrogates. */
const invisiblePattern = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

function describeTextProblem(text: string): string | undefined {
  if (text.length > maxTextLength) return `has more than ${maxTextLength} characters`;
  const [character] = invisiblePattern.exec(text) ?? [];
  if (character === undefined) return undefined;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `contains an invisible character (U+${code})`;
}

function* walkTexts(value: unknown, where: string, depth: number): Generator<DocumentProblem> {
  if (typeof value === 'string') {
    const problem = describeTextProblem(value);
    if (problem !== undefined) yield { where, problem };
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) {
    yield { where: where.slice(0, 200), problem: `nests deeper than ${maxDepth}` };
    return;
  }
  const isList = Array.isArray(value);
  for (const [key, part] of Object.entries(value)) {
    const problem = describeTextProblem(key);
    if (problem === undefined) yield* walkTexts(part, isList ? `${where}[${key}]` : `${where}.${key}`, depth + 1);
    else yield { where, problem: `has a member whose name ${problem}` };
  }
}

/** All such problems in any JSON value; nesting beyond the maximum is one problem. */
export function findTextProblems(value: unknown): readonly DocumentProblem[] {
  return [...walkTexts(value, '', 0)];
}
