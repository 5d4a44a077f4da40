/** `## TIMEOUT`: `<n>s`. */
import type { ReportProblem } from '../check/kind.ts';
import { type Piece, trimmed } from './blocks.ts';
import { bulletOf, withoutCodeMarks } from './bullet.ts';
import type { Section } from './outline.ts';

/** Seconds. */
export const timeoutLimits = { least: 1, most: 600, usual: 30 } as const;

const unitsS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, sec: 1, second: 1, m: 60, min: 60, minute: 60 };

/** The same time as it should be written, within the limits. */
function rightly(text: string): string {
  const found = /^(\d{1,9})\s*([a-z]*)$/i.exec(text);
  const word = found?.[2]?.toLowerCase() || 's';
  const unit = unitsS[word] ?? unitsS[word.replace(/s$/, '')];
  const seconds = found === null || unit === undefined ? timeoutLimits.usual : Math.ceil(Number(found[1]) * unit);
  return `${Math.min(timeoutLimits.most, Math.max(timeoutLimits.least, seconds))}s`;
}

function valueIn(section: Section): Piece | undefined {
  const told = section.blocks.filter(({ kind }) => kind === 'text' || kind === 'fence');
  const line = told[0]?.lines[0];
  if (line === undefined || told.length > 1) return undefined;
  const text = trimmed(line.text, line.start);
  return withoutCodeMarks(bulletOf(text) ?? text);
}

/** Milliseconds; 30 s without the section, undefined after a report. */
export function readTimeoutMs(section: Section | undefined, report: ReportProblem): number | undefined {
  if (section === undefined) return timeoutLimits.usual * 1000;
  const [heading] = section.heading.lines;
  const value = valueIn(section) ?? { text: '', start: heading.start };
  const seconds = Number(/^(\d{1,9})s$/.exec(value.text)?.[1] ?? Number.NaN);
  if (seconds >= timeoutLimits.least && seconds <= timeoutLimits.most) return seconds * 1000;
  const end = value.text === '' ? heading.end : value.start + value.text.length;
  report('SCENARIO_TIMEOUT_INVALID', value.start, end, { right: rightly(value.text) });
  return undefined;
}
