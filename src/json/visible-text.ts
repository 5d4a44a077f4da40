/**
 * Text that was written by somebody else, shown so that nothing in it can hide: characters without a shape of their own, long runs of
 * white space, and letters that pass for Latin ones are marked with their code points between ⟦ and ⟧.
 */
import { isLatinText, markConfusableLetters, toCodePoint } from './confusable-letters.ts';

/** No shape of its own: default-ignorable, control, format, separator, unassigned and private characters, spaces but the usual one. */
const hiddenCharacter = /[\p{DI}\p{C}\p{Zl}\p{Zp}⟦⟧]|(?! )\p{Zs}/u;
const whiteSpaceRun = / {4,}| +$/;
const marked = new RegExp(`(?:${hiddenCharacter.source})|${whiteSpaceRun.source}`, 'gu');

/**
 * The text of one line, marked. Different texts stay different, as ⟦ and ⟧ are marked too. Runs of four spaces, and all spaces at the
 * end, are counted: `⟦12×U+0020⟧`. `isInLatinText`: whether the text to which the line belongs is Latin; by default, the line decides.
 */
export function markHiddenCharacters(line: string, isInLatinText = isLatinText(line)): string {
  const withoutHidden = line.replaceAll(marked, (run) =>
    run.startsWith(' ') ? `⟦${run.length}×U+0020⟧` : `⟦${toCodePoint(run)}⟧`,
  );
  return markConfusableLetters(withoutHidden, isInLatinText);
}

/** How often {@link markHiddenCharacters} marked each character in these lines, by code point. */
export function countHiddenCharacters(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines)
    for (const [, times = '1', point = ''] of line.matchAll(/⟦(?:(\d+)×)?(?:[^×⟧]=)?(U\+[0-9A-F]{4,6})⟧/gu))
      counts.set(point, (counts.get(point) ?? 0) + Number(times));
  return counts;
}

const maxLineLength = 160;
const minPieceLength = 20;

/** The length of the beginning of a visible line without a part of a mark, or half a character, at its end. */
function findWholeLength(head: string): number {
  const openMark = head.lastIndexOf('⟦') > head.lastIndexOf('⟧') ? head.lastIndexOf('⟦') : head.length;
  const lastWhole = /[\uD800-\uDBFF]$/.test(head) ? head.length - 1 : head.length;
  return Math.min(openMark, lastWhole);
}

/** Breaks a visible line at sentences or spaces, so that a small change stays small; never inside a mark. */
function breakLine(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > maxLineLength) {
    const head = rest.slice(0, maxLineLength);
    const sentenceEnd = Math.max(head.lastIndexOf('. '), head.lastIndexOf('; '), head.lastIndexOf('! ')) + 2;
    const wordEnd = head.lastIndexOf(' ') + 1;
    const end = [sentenceEnd, wordEnd].find((index) => index > minPieceLength) ?? findWholeLength(head);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

/** The lines of a text; runs of empty lines become `⟦40×U+000A⟧`, so that nothing is pushed out of sight. */
function toTextLines(text: string, isInLatinText: boolean): string[] {
  const lines: string[] = [];
  let emptyLines = 0;
  const endRun = (): void => {
    if (emptyLines > 2) lines.push(`⟦${emptyLines}×U+000A⟧`);
    else for (; emptyLines > 0; emptyLines -= 1) lines.push('');
    emptyLines = 0;
  };
  for (const line of text.split('\n')) {
    if (line === '') emptyLines += 1;
    else {
      endRun();
      lines.push(...breakLine(markHiddenCharacters(line, isInLatinText)));
    }
  }
  endRun();
  return lines;
}

/** Text that reads like another JSON value is quoted, so that `5` and `"5"` differ. */
const otherValue = /^(?:-?\d.*|true|false|null|\[\]|\{\}|".*)$/s;

/** Names of members are mostly words of a protocol, which say nothing about the language of a text. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(toText).join('\n');
}

/** A number of `parseExactJson`, which has the text that was sent. */
function isRawNumber(value: object): boolean {
  const isRaw: unknown = Reflect.get(JSON, 'isRawJSON');
  return typeof isRaw === 'function' && isRaw(value) === true;
}

type TextFormatter = (text: string, isInLatinText: boolean) => readonly string[];

function formatValue(value: unknown, path: string, isInLatinText: boolean, formatText: TextFormatter): string[] {
  const start = path === '' ? '' : `${path}: `;
  if (typeof value === 'string')
    return formatText(otherValue.test(value) ? JSON.stringify(value) : value, isInLatinText).map(
      (line) => `${start}${line}`,
    );
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return [`${start}${JSON.stringify(value)}`];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((member: unknown, index) =>
      formatValue(member, `${path}[${index}]`, isInLatinText, formatText),
    );
  const members = Object.entries(value);
  if (members.length === 0) return [`${start}${Array.isArray(value) ? '[]' : '{}'}`];
  return members.flatMap(([name, member]) => {
    const visibleName = markHiddenCharacters(/^[\w$-]+$/.test(name) ? name : JSON.stringify(name), isInLatinText);
    return formatValue(member, path === '' ? visibleName : `${path}.${visibleName}`, isInLatinText, formatText);
  });
}

/**
 * A JSON value as lines, each with its path: `description: Makes a ticket`. All of it, however large, with members in the order they
 * have. Different values have different lines.
 */
export function toVisibleLines(value: unknown): string[] {
  return formatValue(value, '', isLatinText(toText(value)), toTextLines);
}

/**
 * A JSON value on one line, for lists: `city: Évora, days: 3`; the beginning of it and `…` if it is longer than `maxLength`. Line breaks are
 * marked like other characters that cannot be seen. Different values may have the same summary.
 */
export function toVisibleSummary(value: unknown, maxLength: number): string {
  const formatText: TextFormatter = (text, isInLatinText) => [markHiddenCharacters(text, isInLatinText)];
  const summary = formatValue(value, '', isLatinText(toText(value)), formatText).join(', ');
  if (summary.length <= maxLength) return summary;
  return `${summary.slice(0, findWholeLength(summary.slice(0, maxLength)))}…`;
}
