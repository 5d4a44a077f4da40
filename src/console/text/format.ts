/** Formats times and counts for people; durations and sizes are in report/measures.ts. Timestamps are RFC 3339. */
import { maxCountedFailures } from '../../contract/failure-limits.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 days ago`; a timestamp in the future counts as now. */
export function formatAgo(timestamp: string, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - Date.parse(timestamp));
  if (ageMs < 5_000) return 'just now';
  return `${formatCoarseDuration(ageMs)} ago`;
}

/** A duration in its largest unit: `12 s`, `3 min`, `2 h`, `5 days`, `2 years`. */
export function formatCoarseDuration(durationMs: number): string {
  if (durationMs < minuteMs) return `${Math.floor(durationMs / 1000)} s`;
  if (durationMs < hourMs) return `${Math.floor(durationMs / minuteMs)} min`;
  if (durationMs < 2 * dayMs) return `${Math.floor(durationMs / hourMs)} h`;
  if (durationMs < 2 * yearMs) return `${Math.floor(durationMs / dayMs)} days`;
  return `${Math.floor(durationMs / yearMs)} years`;
}

/** `in 3 days`, `expired`. Days are rounded: 90 days that have just begun are not 89. */
export function formatTimeUntil(timestamp: string, nowMs: number): string {
  const remainingMs = Date.parse(timestamp) - nowMs;
  if (remainingMs <= 0) return 'expired';
  const wholeDaysMs = Math.round(remainingMs / dayMs) * dayMs;
  return `in ${formatCoarseDuration(remainingMs < 2 * dayMs ? remainingMs : wholeDaysMs)}`;
}

let exactFormat: Intl.DateTimeFormat | undefined;

/** Date and time in the reader's time zone. */
export function formatExactTime(timestamp: string): string {
  // Creating a format takes several milliseconds, which the first paint does not wait for.
  exactFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  return exactFormat.format(Date.parse(timestamp));
}

/** The failed runs in a row, which are counted up to a limit. */
export function formatFailedRuns(count: number): string {
  return `${formatCount(count, 'run')}${count < maxCountedFailures ? '' : ' or more'}`;
}

/** `1 check`, `5 checks`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
