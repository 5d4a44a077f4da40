import { type Markup, markup } from '../markup.ts';
import { formatDuration } from '../measures.ts';
import type { Report } from '../report.ts';

/** A bar of durations; the timings are points in time, so each part is the difference from the previous one. */
export function renderTimings(timings: Report['timings']): Markup {
  const { evidence_ms: evidenceMs, total_ms: totalMs } = timings;
  const points: [name: string, atMs: number | null][] = [
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['total', totalMs],
    ['log and database', evidenceMs === null ? null : totalMs + evidenceMs],
  ];
  let previousMs = 0;
  const parts = points.flatMap(([name, atMs], index) => {
    if (atMs === null) return [];
    const width = Math.max(0, atMs - previousMs);
    previousMs = Math.max(previousMs, atMs);
    return [{ name, atMs, width, shade: 'abcde'.charAt(index) }];
  });
  const endMs = Math.max(previousMs, 0.001);
  const bars = parts.map(({ name, width, shade }) => {
    return markup`<i class="${shade}" style="width:${((100 * width) / endMs).toFixed(1)}%" title="${name}"></i>`;
  });
  const named = parts.filter(({ shade }) => shade !== 'e').map(({ name, atMs }) => `${name} ${formatDuration(atMs)}`);
  const waited = evidenceMs === null ? [] : [`then ${formatDuration(evidenceMs)} for log and database`];
  return markup`<div class="bar">${bars}</div>
<p class="quiet">queued ${formatDuration(timings.queued_ms)} before · ${[...named, ...waited].join(' · ')}</p>
`;
}
