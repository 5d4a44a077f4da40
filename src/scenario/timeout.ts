/** `## TIMEOUT`: `<n>s`. */
import type { ReportProblem } from '../check/check-kind.ts';
import { type LinePiece, trimPiece } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import type { Section } from './outline.ts';

/** Seconds. */
export const timeoutLimits = { least: 1, maxSeconds: 600, usual: 30 } as const;

const unitsS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, sec: 1, second: 1, m: 60, min: 60, minute: 60 };

/** The same time in the correct form, within the limits. */
function rightly(text: string): string {
  const match = /^(\d{1,9})\s*([a-z]*)$/i.exec(text);
  const word = match?.[2]?.toLowerCase() || 's';
  const unit = unitsS[word] ?? unitsS[word.replace(/s$/, '')];
  const seconds = match === null || unit === undefined ? timeoutLimits.usual : Math.ceil(Number(match[1]) * unit);
  return `${Math.min(timeoutLimits.maxSeconds, Math.max(timeoutLimits.least, seconds))}s`;
}

/** What is wrong when there is no single value: all of the section's content, or the heading of a section without any. */
type Content = { readonly value?: LinePiece; readonly start: number; readonly end: number };

function readContent({ heading, blocks }: Section): Content {
  const contentBlocks = blocks.filter(({ kind }) => kind === 'text' || kind === 'fence');
  const [first] = contentBlocks;
  if (first === undefined) return { start: heading.lines[0].start, end: heading.lines[0].end };
  const [line] = first.lines;
  const end = contentBlocks.at(-1)?.lines.at(-1)?.end ?? line.end;
  if (contentBlocks.length > 1 || first.kind === 'fence') return { start: line.start, end };
  const text = trimPiece(line.text, line.start);
  const value = stripCodeMarks(parseBullet(text) ?? text);
  return value.text === ''
    ? { start: line.start, end }
    : { value, start: value.start, end: value.start + value.text.length };
}

/** Milliseconds; 30 s without the section, undefined if a problem was reported. */
export function readTimeoutMs(section: Section | undefined, report: ReportProblem): number | undefined {
  if (section === undefined) return timeoutLimits.usual * 1000;
  const { value, start, end } = readContent(section);
  const seconds = Number(/^(\d{1,9})s$/.exec(value?.text ?? '')?.[1] ?? Number.NaN);
  if (seconds >= timeoutLimits.least && seconds <= timeoutLimits.maxSeconds) return seconds * 1000;
  report('SCENARIO_TIMEOUT_INVALID', start, end, { right: rightly(value?.text ?? '') });
  return undefined;
}
