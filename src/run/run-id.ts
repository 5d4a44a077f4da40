/** Run ids: eight-digit date, `T`, nine digits of time, in UTC. Each corresponds to one millisecond since 1970. */

/** Text such as `20261120T143012345`. */
export type RunId = string;

const runIdPattern = /^\d{8}T\d{9}$/;

/** By numbers: each run has its id formatted and read five times, and texts with patterns take two to four times as long. */
export function formatRunId(epochMs: number): RunId {
  const moment = new Date(epochMs);
  const year = moment.getUTCFullYear();
  // Texts of other years have another length; those of no moment throw.
  if (!(year >= 1000 && year <= 9999)) return moment.toISOString().replaceAll(/[-:.Z]/g, '');
  const date = year * 10_000 + (moment.getUTCMonth() + 1) * 100 + moment.getUTCDate();
  const minutes = moment.getUTCHours() * 100 + moment.getUTCMinutes();
  const time = minutes * 100_000 + moment.getUTCSeconds() * 1000 + moment.getUTCMilliseconds();
  return `${date}T${String(time).padStart(9, '0')}`;
}

/** The two digits of `value` that are worth `unit` each. */
const readDigits = (value: number, unit: number): number => Math.trunc(value / unit) % 100;

/** Milliseconds since 1970; undefined when `text` is not a run id. */
export function parseRunId(text: string): number | undefined {
  if (!runIdPattern.test(text)) return undefined;
  const date = Number(text.slice(0, 8));
  const time = Number(text.slice(9));
  const [month, day] = [readDigits(date, 100), readDigits(date, 1)];
  const [hour, minute, second] = [readDigits(time, 10_000_000), readDigits(time, 100_000), readDigits(time, 1000)];
  const epochMs = Date.UTC(Math.trunc(date / 10_000), month - 1, day, hour, minute, second, time % 1000);
  // A month 13 and an hour 24 are those of another id.
  return formatRunId(epochMs) === text ? epochMs : undefined;
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
