/**
 * Lines → blocks: the part of CommonMark that a scenario is made of. ATX headings, fenced code and comments are found as
 * CommonMark 0.31 finds them (a test compares with a reference parser); every other line stays one block of its own,
 * because checks and header lines are lines. Linear in the text's length.
 *
 * Rejected: a full Markdown parser here. Measured: 0.6 ms instead of 0.02 ms for a usual scenario, 37 ms to load, and 8 s
 * for 20,000 characters of `- - - …`, which any author could send.
 */
import type { ReportProblem } from '../check/kind.ts';
import type { Line, Source } from './source.ts';

/** A piece of a line: `text` begins at offset `start`. */
export type Piece = { readonly text: string; readonly start: number };

/** `# Name`; `name` without marks. */
export type Heading = { readonly kind: 'heading'; readonly depth: number; readonly name: Piece; readonly lines: Lines };
/** Fenced code; `info` is the word behind the marks, `content` has the fence's own indentation taken off. */
export type Fence = {
  readonly kind: 'fence';
  readonly unclosed?: true;
  readonly info: string;
  readonly content: readonly Piece[];
  readonly lines: Lines;
};
/** Blank line, comment (`<!-- … -->`), rule (`---`) or any other line. */
export type Plain = {
  readonly kind: 'blank' | 'comment' | 'rule' | 'text';
  readonly unclosed?: true;
  readonly lines: Lines;
};
/** A block; its lines follow each other. */
export type Block = Heading | Fence | Plain;

type Lines = readonly [Line, ...Line[]];

const heading = /^ {0,3}(#{1,6})(?:[ \t]+|$)(.*)$/;
const fenceOpening = /^( {0,3})(`{3,}|~{3,})[ \t]*(.*)$/;
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;

/** Offset and text of a line's content between spaces. */
export function trimmed(text: string, start: number): Piece {
  const lead = text.length - text.trimStart().length;
  return { text: text.trim(), start: start + lead };
}

/** Without the marks that may close a heading; they need a space before them. */
function withoutClosing(text: string): string {
  const end = text.trimEnd();
  let length = end.length;
  while (end[length - 1] === '#') length -= 1;
  const bare = end.slice(0, length);
  return bare === '' || /[ \t]$/.test(bare) ? bare : end;
}

function headingAt(line: Line): Heading | undefined {
  const found = heading.exec(line.text);
  if (found === null) return undefined;
  const rest = found[2] ?? '';
  const name = trimmed(withoutClosing(rest), line.end - rest.length);
  return { kind: 'heading', depth: found[1]?.length ?? 1, name, lines: [line] };
}

function isClosing(text: string, marks: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1];
  return found !== undefined && found[0] === marks[0] && found.length >= marks.length;
}

function withoutIndent(line: Line, indent: number): Piece {
  const spaces = /^ */.exec(line.text)?.[0].length ?? 0;
  const off = Math.min(indent, spaces);
  return { text: line.text.slice(off), start: line.start + off };
}

/** Index of the first line from `from` on that `ends` the block, or -1. */
function findFrom(lines: readonly Line[], from: number, ends: (line: Line) => boolean): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at];
    if (line !== undefined && ends(line)) return at;
  }
  return -1;
}

function linesOf(first: Line, at: number, end: number, lines: readonly Line[]): Lines {
  return [first, ...lines.slice(at + 1, end)];
}

function fenceAt(first: Line, at: number, lines: readonly Line[], report: ReportProblem): Fence | undefined {
  const found = fenceOpening.exec(first.text);
  const [, indent = '', marks = '', info = ''] = found ?? [];
  if (found === null || (marks.startsWith('`') && info.includes('`'))) return undefined;
  const closing = findFrom(lines, at + 1, (line) => isClosing(line.text, marks));
  if (closing === -1) report('SCENARIO_FENCE_UNCLOSED', first.start + indent.length, first.end, { marks });
  const end = closing === -1 ? lines.length : closing;
  return {
    kind: 'fence',
    ...(closing === -1 ? { unclosed: true } : {}),
    info: info.trim(),
    content: lines.slice(at + 1, end).map((line) => withoutIndent(line, indent.length)),
    lines: linesOf(first, at, end + 1, lines),
  };
}

function commentAt(first: Line, at: number, lines: readonly Line[], report: ReportProblem): Plain | undefined {
  if (!/^ {0,3}<!--/.test(first.text)) return undefined;
  const last = findFrom(lines, at, (line) => line.text.includes('-->'));
  const end = lines[last];
  if (end === undefined) {
    report('SCENARIO_COMMENT_UNCLOSED', first.start, first.end, {});
    return { kind: 'comment', unclosed: true, lines: linesOf(first, at, lines.length, lines) };
  }
  const behind = end.text.indexOf('-->') + 3;
  if (end.text.slice(behind).trim() !== '') report('SCENARIO_COMMENT_TEXT', end.start + behind, end.end, {});
  return { kind: 'comment', lines: linesOf(first, at, last + 1, lines) };
}

function plainAt(line: Line): Plain {
  if (line.text.trim() === '') return { kind: 'blank', lines: [line] };
  return { kind: rule.test(line.text) ? 'rule' : 'text', lines: [line] };
}

function blockAt(line: Line, at: number, lines: readonly Line[], report: ReportProblem): Block {
  const first = line.text.trimStart().charAt(0);
  if (first === '#') return headingAt(line) ?? plainAt(line);
  if (first === '`' || first === '~') return fenceAt(line, at, lines, report) ?? plainAt(line);
  if (first === '<') return commentAt(line, at, lines, report) ?? plainAt(line);
  return plainAt(line);
}

/** Reads the blocks in order; together they hold every line. An unclosed fence or comment is reported and runs to the end. */
export function readBlocks({ lines }: Source, report: ReportProblem): readonly Block[] {
  const blocks: Block[] = [];
  let next = 0;
  for (const [at, line] of lines.entries()) {
    if (at < next) continue;
    const block = blockAt(line, at, lines, report);
    blocks.push(block);
    next = at + block.lines.length;
  }
  return blocks;
}
