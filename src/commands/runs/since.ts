import { vpError } from '../../errors/vp-error.ts';

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s`, `15m`, `1h`, `7d`, or a moment (RFC 3339) → a moment in UTC. Throws FLAG_INVALID. */
export function sinceMoment(text: string, nowMs: number): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const agoMs = unit === undefined ? undefined : Number(count) * (unitsMs[unit] ?? 0);
  const epochMs = agoMs === undefined ? momentMs(text) : nowMs - agoMs;
  if (!Number.isNaN(epochMs)) return new Date(Math.max(0, epochMs)).toISOString();
  const problem = `must be a time such as 30s, 15m, 1h or 7d, or a moment such as 2026-11-20T14:30:00Z, not \`${text}\``;
  throw vpError('FLAG_INVALID', { command: 'vp runs', flag: '--since', problem });
}

/** Dates of other forms are read differently by everybody. */
function momentMs(text: string): number {
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
}
