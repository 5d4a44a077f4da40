/**
 * Finds the request in `## TRIGGER`. These layouts are accepted, because they are unambiguous:
 *
 *     lines, then nothing                          lines, then a fence (its content is the body)
 *     lines, a blank line, then text (the body)    a fence with lines, a blank line, a body
 *     a fence with lines, then a fence (the body)
 *
 * Lines may be indented, bulleted or in code marks. Ambiguous layouts are refused.
 */
import type { ReportProblem } from '../check/check-kind.ts';
import { type Block, type FencedBlock, type LinePiece, trimPiece } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { looksLikeHeader } from './headers.ts';
import type { Section } from './outline.ts';
import { looksLikeRequest } from './request-line.ts';

/** Request line and header lines, trimmed; the unchanged lines of the body. */
export type TriggerLayout = {
  readonly head: readonly LinePiece[];
  readonly body: readonly LinePiece[] | undefined;
  /** Without a fence around it, the head with the comments among its lines. */
  readonly headBlocks: readonly Block[];
  /** The fence around the whole request, and the one around the body alone. */
  readonly headFence: FencedBlock | undefined;
  readonly bodyFence: FencedBlock | undefined;
};

function isEmpty(piece: LinePiece): boolean {
  return piece.text.trim() === '';
}

/** Pieces without the blank ones at both ends; undefined when nothing is left. */
function withoutBlankEnds(pieces: readonly LinePiece[]): readonly LinePiece[] | undefined {
  const first = pieces.findIndex((piece) => !isEmpty(piece));
  return first === -1 ? undefined : pieces.slice(first, pieces.findLastIndex((piece) => !isEmpty(piece)) + 1);
}

function getFirstLine({ lines: [line] }: Block): LinePiece {
  return { text: line.text, start: line.start };
}

function headLine(piece: LinePiece): LinePiece {
  const text = trimPiece(piece.text, piece.start);
  return stripCodeMarks(parseBullet(text) ?? text);
}

/** Refuses an unfenced body that is ambiguous or would not be sent completely. */
function bodyIsPlain(blocks: readonly Block[], report: ReportProblem): boolean {
  const ambiguousBlock = blocks.find(({ kind }) => kind === 'comment' || kind === 'fence');
  if (ambiguousBlock === undefined) return true;
  const [line] = ambiguousBlock.lines;
  const problem =
    ambiguousBlock.kind === 'fence' ? 'a fence next to other text' : 'a comment within a body that has no fence';
  report('SCENARIO_BODY_AMBIGUOUS', line.start, line.end, { part: problem });
  return false;
}

function firstLineIsBody(piece: LinePiece, report: ReportProblem): boolean {
  const { text, start } = headLine(piece);
  if (looksLikeRequest(text)) {
    report('SCENARIO_REQUEST_DOUBLED', start, start + text.length, {});
    return false;
  }
  if (!looksLikeHeader(text)) return true;
  const problem = 'a header line after a blank line';
  report('SCENARIO_BODY_AMBIGUOUS', start, start + text.length, { part: problem });
  return false;
}

function plainBody(blocks: readonly Block[], report: ReportProblem): readonly LinePiece[] | undefined {
  const lines = blocks.flatMap((block) => block.lines.map((line) => ({ text: line.text, start: line.start })));
  const body = withoutBlankEnds(lines);
  const first = body?.[0];
  if (first === undefined || !bodyIsPlain(blocks, report) || !firstLineIsBody(first, report)) return undefined;
  return body;
}

/** The body in `blocks`, which follow the head: a single fence, or text. */
function bodyBehind(blocks: readonly Block[], report: ReportProblem): Pick<TriggerLayout, 'body' | 'bodyFence'> {
  const contentBlocks = blocks.filter(({ kind }) => kind !== 'blank' && kind !== 'comment' && kind !== 'rule');
  const [first] = contentBlocks;
  if (first === undefined) return { body: undefined, bodyFence: undefined };
  if (first.kind === 'fence' && contentBlocks.length === 1) return { body: first.content, bodyFence: first };
  return { body: plainBody(blocks, report), bodyFence: undefined };
}

function fencedLayout(fence: FencedBlock, rest: readonly Block[], report: ReportProblem): TriggerLayout {
  const lines = withoutBlankEnds(fence.content) ?? [];
  const blank = lines.findIndex(isEmpty);
  const head = (blank === -1 ? lines : lines.slice(0, blank)).map((piece) => trimPiece(piece.text, piece.start));
  const inside = blank === -1 ? undefined : withoutBlankEnds(lines.slice(blank));
  const behind = bodyBehind(rest, report);
  const first = inside?.[0];
  if (first === undefined) return { head, headBlocks: [], ...behind, headFence: fence };
  const clash = rest.find(({ kind }) => kind === 'text' || kind === 'fence')?.lines[0];
  if (clash !== undefined) report('SCENARIO_BODY_AMBIGUOUS', clash.start, clash.end, { part: 'a second body' });
  const body = firstLineIsBody(first, report) ? inside : undefined;
  return { head, headBlocks: [], body, headFence: fence, bodyFence: undefined };
}

function openLayout(blocks: readonly Block[], report: ReportProblem): TriggerLayout {
  const end = blocks.findIndex(({ kind }) => kind !== 'text' && kind !== 'comment');
  const headBlocks = end === -1 ? blocks : blocks.slice(0, end);
  const head = headBlocks.filter(({ kind }) => kind === 'text').map((block) => headLine(getFirstLine(block)));
  return { head, headBlocks, ...bodyBehind(end === -1 ? [] : blocks.slice(end), report), headFence: undefined };
}

/** Finds the parts; undefined when the section is empty. Blank lines, comments and rules at both ends are ignored. */
export function readTriggerLayout(section: Section, report: ReportProblem): TriggerLayout | undefined {
  const hasContent = ({ kind }: Block): boolean => kind === 'text' || kind === 'fence';
  const start = section.blocks.findIndex(hasContent);
  const blocks = section.blocks.slice(start, section.blocks.findLastIndex(hasContent) + 1);
  const [first, ...rest] = blocks;
  if (start === -1 || first === undefined) return undefined;
  return first.kind === 'fence' ? fencedLayout(first, rest, report) : openLayout(blocks, report);
}
