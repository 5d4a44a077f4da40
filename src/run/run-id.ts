/** Run ids: eight-digit date, `T`, nine digits of time, in UTC. Each corresponds to one millisecond since 1970. */

/** Text such as `20261120T143012345`. */
export type RunId = string;

const isoLength = '2026-11-20T14:30:12.345Z'.length;
const runIdPattern = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})$/;

export function formatRunId(epochMs: number): RunId {
  const iso = new Date(epochMs).toISOString();
  // Each run has its id formatted five times, and a pattern takes longer. After the year 9999 the text is longer.
  if (iso.length !== isoLength) return iso.replaceAll(/[-:.Z]/g, '');
  const date = `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 10)}`;
  return `${date}T${iso.slice(11, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}${iso.slice(20, 23)}`;
}

/** Milliseconds since 1970; undefined when `text` is not a run id. */
export function parseRunId(text: string): number | undefined {
  const match = runIdPattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, millisecond] = match;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`;
  const epochMs = Date.parse(iso);
  // `Date` accepts the hour 24.
  return Number.isNaN(epochMs) || new Date(epochMs).toISOString() !== iso ? undefined : epochMs;
}

/** Text such as `s20261120T143012345`, so that nobody takes it for a run id. */
export function formatSuiteId(epochMs: number): string {
  return `s${formatRunId(epochMs)}`;
}

/** Undefined when `text` is not the id of a suite. */
export function parseSuiteId(text: string): number | undefined {
  return text.startsWith('s') ? parseRunId(text.slice(1)) : undefined;
}

/** The time of the next run id: now, or a millisecond after the last one if that is later, so that ids never repeat. */
export function getNextRunTimeMs(nowMs: number, lastMs: number): number {
  return Math.max(Math.trunc(nowMs), lastMs + 1);
}

/** `tr-<run id>-<random>`; the random part prevents a log line of another run from matching this one. */
export function formatCorrelationId(runId: RunId, random: string): string {
  return `tr-${runId}-${random}`;
}
