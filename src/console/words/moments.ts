/** Times and sizes in words. Moments are RFC 3339 on the wire. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 days ago`; a clock that is a little behind counts as now. */
export function agoText(moment: string, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - Date.parse(moment));
  if (ageMs < 5_000) return 'just now';
  return `${spanText(ageMs)} ago`;
}

/** A length of time in its largest unit: `12 s`, `3 min`, `2 h`, `5 days`. */
export function spanText(spanMs: number): string {
  if (spanMs < minuteMs) return `${Math.floor(spanMs / 1000)} s`;
  if (spanMs < hourMs) return `${Math.floor(spanMs / minuteMs)} min`;
  if (spanMs < 2 * dayMs) return `${Math.floor(spanMs / hourMs)} h`;
  return `${Math.floor(spanMs / dayMs)} days`;
}

/** `in 3 days`, `expired`. */
export function untilText(moment: string, nowMs: number): string {
  const leftMs = Date.parse(moment) - nowMs;
  return leftMs <= 0 ? 'expired' : `in ${spanText(leftMs)}`;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** The whole moment in the reader's own zone, for a title. */
export function exactText(moment: string): string {
  return exact.format(Date.parse(moment));
}

/** `0.4 ms`, `38 ms`, `1.2 s`, `2 min 5 s`. */
export function durationText(durationMs: number): string {
  if (durationMs < 10) return `${Math.round(durationMs * 10) / 10} ms`;
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < minuteMs) return `${(durationMs / 1000).toFixed(1)} s`;
  return `${Math.floor(durationMs / minuteMs)} min ${Math.round((durationMs % minuteMs) / 1000)} s`;
}

/** `412 B`, `3.1 KB`, `2.0 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 check`, `5 checks`. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
