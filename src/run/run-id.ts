/** Run ids: eight-digit date, `T`, nine digits of time, in UTC. Each corresponds to one millisecond since 1970. */

/** Text such as `20261120T143012345`. */
export type RunId = string;

const runIdPattern = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})$/;

export function formatRunId(epochMs: number): RunId {
  return new Date(epochMs).toISOString().replaceAll(/[-:.Z]/g, '');
}

/** Milliseconds since 1970; undefined when `text` is not a run id. */
export function parseRunId(text: string): number | undefined {
  const match = runIdPattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, millisecond] = match;
  const epochMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`);
  return Number.isNaN(epochMs) || formatRunId(epochMs) !== text ? undefined : epochMs;
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
