/** Writes `## TRIGGER`. Comments and rules keep their place; the body stays as it is, in its fence if it has one. */
import type { Block, Fence, Piece } from './blocks.ts';
import type { Section } from './outline.ts';
import { readTriggerLayout, type TriggerLayout } from './trigger-layout.ts';

/** A part of the section; parts are written in the order of their offsets, an empty line between. */
type Part = { readonly start: number; readonly text: string };

const unreported = (): void => {};

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('\n');
}

/** The lines of a block as they stand. */
export function verbatim({ lines }: Block): string {
  return lines.map(({ text }) => text.trimEnd()).join('\n');
}

/** Marks that no line of the content closes, now that the fence has no indentation. */
function marksOf({ lines: [opening], content }: Fence): string {
  const marks = /`{3,}|~{3,}/.exec(opening.text)?.[0] ?? '```';
  const sign = marks.charAt(0);
  const runs = content.map(({ text }) => /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1] ?? '');
  const longest = Math.max(0, ...runs.filter((run) => run.startsWith(sign)).map((run) => run.length));
  return sign.repeat(Math.max(marks.length, longest + 1));
}

function fenced(fence: Fence, info: string, content: string): string {
  const marks = marksOf(fence);
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
  return headBlocks.map((block) => (block.kind === 'text' ? written.shift() : verbatim(block))).join('\n');
}

function headPart(layout: TriggerLayout): Part {
  const { head, headFence, body, bodyFence } = layout;
  const text = headText(layout);
  if (headFence === undefined) return { start: layout.headBlocks[0]?.lines[0].start ?? head[0]?.start ?? 0, text };
  const whole = body === undefined || bodyFence !== undefined ? text : `${text}\n\n${textOf(body)}`;
  return { start: headFence.lines[0].start, text: fenced(headFence, headFence.info || 'http', whole) };
}

function bodyPart({ body, headFence, bodyFence }: TriggerLayout): Part | undefined {
  const [first] = body ?? [];
  if (bodyFence !== undefined) {
    return { start: bodyFence.lines[0].start, text: fenced(bodyFence, bodyFence.info, textOf(bodyFence.content)) };
  }
  return headFence !== undefined || body === undefined || first === undefined
    ? undefined
    : { start: first.start, text: textOf(body) };
}

/** Comments and rules that stand outside head and body. */
function notes(section: Section, { headBlocks, body = [] }: TriggerLayout): readonly Part[] {
  const used = new Set([...headBlocks.map(({ lines }) => lines[0].start), ...body.map(({ start }) => start)]);
  return section.blocks
    .filter(({ kind, lines }) => (kind === 'comment' || kind === 'rule') && !used.has(lines[0].start))
    .map((block) => ({ start: block.lines[0].start, text: verbatim(block) }));
}

/** The section of a scenario that was read without errors, without its heading. */
export function writeTrigger(section: Section): string {
  const layout = readTriggerLayout(section, unreported);
  if (layout === undefined) return '';
  const parts = [headPart(layout), bodyPart(layout), ...notes(section, layout)].filter((part) => part !== undefined);
  return parts
    .toSorted((one, other) => one.start - other.start)
    .map(({ text }) => text)
    .join('\n\n');
}
