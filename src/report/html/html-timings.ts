import { type Markup, markup } from '../markup.ts';
import { formatDuration } from '../measures.ts';
import type { Report } from '../report.ts';
import {
  type AxisMark,
  type AxisTrack,
  buildRunAxis,
  formatOffset,
  type RunAxis,
  toAxisPosition,
} from '../run-axis.ts';

/** Of a run with many log lines; the JSON report has all. */
const maxMarks = 100;

function toPercent(position: number): string {
  return `${(100 * position).toFixed(2)}%`;
}

function renderMark(axis: RunAxis, { label, startMs, endMs, isFailed }: AxisMark): Markup {
  const left = toAxisPosition(axis, startMs);
  const style = `left:${toPercent(left)};width:${toPercent(toAxisPosition(axis, endMs) - left)}`;
  return markup`<i class="${isFailed ? 'bad' : ''}" style="${style}" title="${formatOffset(startMs)} ${label}"></i>`;
}

function renderTrack(axis: RunAxis, { name, marks }: AxisTrack): Markup {
  return markup`<tr><th>${name}</th><td><div class="axis">${marks.slice(0, maxMarks).map((mark) => renderMark(axis, mark))}</div></td></tr>
`;
}

/** What happened on one time axis, then the times of the request as text. */
export function renderTimings(report: Report): Markup {
  const axis = buildRunAxis(report);
  const { timings } = report;
  const { evidence_ms: evidenceMs, before_ms: beforeMs } = timings;
  const points = [
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['total', timings.total_ms],
  ] as const;
  const named = points.flatMap(([name, atMs]) => (atMs === null ? [] : [`${name} ${formatDuration(atMs)}`]));
  const before = beforeMs === undefined ? [] : [`${formatDuration(beforeMs)} until the request`];
  const waited = evidenceMs === null ? [] : [`then ${formatDuration(evidenceMs)} for log and database`];
  return markup`<table class="facts">${axis.tracks.map((track) => renderTrack(axis, track))}</table>
<p class="quiet">queued ${formatDuration(timings.queued_ms)} before · ${[...before, ...named, ...waited].join(' · ')}</p>
`;
}
