/** Writes `## TRIGGER`. Comments and rules keep their position; the body is unchanged, in its fence if it has one. */
import type { Block, FencedBlock, LinePiece } from './blocks.ts';
import type { Section } from './outline.ts';
import { readTriggerLayout, type TriggerLayout } from './trigger-layout.ts';

/** A part of the section; parts are written in the order of their offsets, separated by an empty line. */
type Part = { readonly start: number; readonly text: string };

const unreported = (): void => {};

function joinPieces(pieces: readonly LinePiece[]): string {
  return pieces.map(({ text }) => text).join('\n');
}

/** The unchanged lines of a block. */
export function formatVerbatim({ lines }: Block): string {
  return lines.map(({ text }) => text.trimEnd()).join('\n');
}

/** Returns fence marks that no line of the content closes, now that the fence has no indentation. */
function chooseFenceMarks({ lines: [opening], content }: FencedBlock): string {
  const marks = /`{3,}|~{3,}/.exec(opening.text)?.[0] ?? '```';
  const sign = marks.charAt(0);
  const runs = content.map(({ text }) => /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1] ?? '');
  const maxRunLength = Math.max(0, ...runs.filter((run) => run.startsWith(sign)).map((run) => run.length));
  return sign.repeat(Math.max(marks.length, maxRunLength + 1));
}

function fenced(fence: FencedBlock, info: string, content: string): string {
  const marks = chooseFenceMarks(fence);
  return [marks + info, ...(fence.content.length === 0 ? [] : [content]), marks].join('\n');
}

function requestLine(text: string): string {
  return text.replace(/\s+/, ' ');
}

function headerLine(text: string): string {
  const colon = text.indexOf(':');
  return `${text.slice(0, colon)}: ${text.slice(colon + 1).trim()}`.trimEnd();
}

function headText({ head, headBlocks }: TriggerLayout): string {
  const [first, ...rest] = head;
  const written = [requestLine(first?.text ?? ''), ...rest.map(({ text }) => headerLine(text))];
  if (headBlocks.length === 0) return written.join('\n');
  return headBlocks.map((block) => (block.kind === 'text' ? written.shift() : formatVerbatim(block))).join('\n');
}

function headPart(layout: TriggerLayout): Part {
  const { head, headFence, body, bodyFence } = layout;
  const text = headText(layout);
  if (headFence === undefined) return { start: layout.headBlocks[0]?.lines[0].start ?? head[0]?.start ?? 0, text };
  const fullText = body === undefined || bodyFence !== undefined ? text : `${text}\n\n${joinPieces(body)}`;
  return { start: headFence.lines[0].start, text: fenced(headFence, headFence.info || 'http', fullText) };
}

function bodyPart({ body, headFence, bodyFence }: TriggerLayout): Part | undefined {
  const [first] = body ?? [];
  if (bodyFence !== undefined) {
    return { start: bodyFence.lines[0].start, text: fenced(bodyFence, bodyFence.info, joinPieces(bodyFence.content)) };
  }
  return headFence !== undefined || body === undefined || first === undefined
    ? undefined
    : { start: first.start, text: joinPieces(body) };
}

/** Comments and rules outside of head and body. */
function notes(section: Section, { headBlocks, body = [] }: TriggerLayout): readonly Part[] {
  const used = new Set([...headBlocks.map(({ lines }) => lines[0].start), ...body.map(({ start }) => start)]);
  return section.blocks
    .filter(({ kind, lines }) => (kind === 'comment' || kind === 'rule') && !used.has(lines[0].start))
    .map((block) => ({ start: block.lines[0].start, text: formatVerbatim(block) }));
}

/** The section of a scenario that was read without errors, without its heading. */
export function formatTrigger(section: Section): string {
  const layout = readTriggerLayout(section, unreported);
  if (layout === undefined) return '';
  const parts = [headPart(layout), bodyPart(layout), ...notes(section, layout)].filter((part) => part !== undefined);
  return parts
    .toSorted((a, other) => a.start - other.start)
    .map(({ text }) => text)
    .join('\n\n');
}
