/** Formats times, durations and sizes for people. Timestamps are RFC 3339. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 days ago`; a timestamp in the future counts as now. */
export function formatAgo(timestamp: string, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - Date.parse(timestamp));
  if (ageMs < 5_000) return 'just now';
  return `${formatCoarseDuration(ageMs)} ago`;
}

/** A duration in its largest unit: `12 s`, `3 min`, `2 h`, `5 days`. */
export function formatCoarseDuration(durationMs: number): string {
  if (durationMs < minuteMs) return `${Math.floor(durationMs / 1000)} s`;
  if (durationMs < hourMs) return `${Math.floor(durationMs / minuteMs)} min`;
  if (durationMs < 2 * dayMs) return `${Math.floor(durationMs / hourMs)} h`;
  return `${Math.floor(durationMs / dayMs)} days`;
}

/** `in 3 days`, `expired`. Days are rounded: 90 days that have just begun are not 89. */
export function formatTimeUntil(timestamp: string, nowMs: number): string {
  const remainingMs = Date.parse(timestamp) - nowMs;
  if (remainingMs <= 0) return 'expired';
  const wholeDaysMs = Math.round(remainingMs / dayMs) * dayMs;
  return `in ${formatCoarseDuration(remainingMs < 2 * dayMs ? remainingMs : wholeDaysMs)}`;
}

const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** Date and time in the reader's time zone. */
export function formatExactTime(timestamp: string): string {
  return exactFormat.format(Date.parse(timestamp));
}

/** `0.4 ms`, `38 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 10) return `${Math.round(durationMs * 10) / 10} ms`;
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < minuteMs) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  const remainder = seconds % 60;
  return `${Math.floor(seconds / 60)} min${remainder === 0 ? '' : ` ${remainder} s`}`;
}

/** `412 B`, `3.1 KB`, `2.0 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 check`, `5 checks`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
