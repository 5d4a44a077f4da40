import { vpError } from '../../errors/vp-error.ts';

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const parseAgeMs = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * (unitsMs[unit] ?? 0);
};

/** `30s`, `15m`, `1h` → milliseconds, more than 0. Throws FLAG_INVALID. */
export function parseDurationMs(text: string, command: string, flag: string): number {
  const durationMs = parseAgeMs(text);
  if (durationMs !== undefined && durationMs > 0) return durationMs;
  throw vpError('FLAG_INVALID', {
    command,
    flag,
    problem: `must be a duration such as 30s, 15m or 1h, not \`${text}\``,
  });
}

/** `30s`, `15m`, `1h`, `7d`, or a timestamp (RFC 3339) → a timestamp in UTC. Throws FLAG_INVALID, for `name`. */
export function parseSince(
  text: string,
  nowMs: number,
  name: { readonly command: string; readonly flag: string } = { command: 'vp runs', flag: '--since' },
): string {
  const ageMs = parseAgeMs(text);
  const epochMs = ageMs === undefined ? parseTimestampMs(text) : nowMs - ageMs;
  if (!Number.isNaN(epochMs)) return new Date(Math.max(0, epochMs)).toISOString();
  const problem = `must be a time such as 30s, 15m, 1h or 7d, or a timestamp such as 2026-11-20T14:30:00Z, not \`${text}\``;
  throw vpError('FLAG_INVALID', { ...name, problem });
}

/** Other date formats are ambiguous. */
function parseTimestampMs(text: string): number {
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
}
