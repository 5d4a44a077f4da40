/** Run ids: eight-digit date, `T`, nine digits of time, in UTC; one to one with milliseconds since 1970. */

/** Text such as `20261120T143012345`. */
export type RunId = string;

const shape = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})$/;

/** The run id of a moment. */
export function runIdOf(epochMs: number): RunId {
  return new Date(epochMs).toISOString().replaceAll(/[-:.Z]/g, '');
}

/** The moment of a run id, in milliseconds since 1970; undefined when `text` is no run id. */
export function epochMsOfRunId(text: string): number | undefined {
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, milli] = match;
  const epochMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milli}Z`);
  return Number.isNaN(epochMs) || runIdOf(epochMs) !== text ? undefined : epochMs;
}

/** The id after `lastMs`: now, or one millisecond later than the last, whichever is later; so ids never repeat. */
export function nextRunMs(nowMs: number, lastMs: number): number {
  return Math.max(Math.trunc(nowMs), lastMs + 1);
}

/** `tr-<run id>-<random>`; the random part keeps a log line of another run from being taken for this one's. */
export function correlationIdOf(runId: RunId, random: string): string {
  return `tr-${runId}-${random}`;
}
