import { vpError } from '../errors/vp-error.ts';

const dayMs = 86_400_000;

/** `2026-12-31` → its last millisecond; `14d` → that many days from now; else a timestamp (RFC 3339). Throws FLAG_INVALID for --until of `command`. */
export function parseEnd(text: string, nowMs: number, command: string): string {
  const days = /^(\d{1,3})d$/.exec(text)?.[1];
  if (days !== undefined) return new Date(nowMs + Number(days) * dayMs).toISOString();
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const epochMs = isDay ? Date.parse(`${text}T23:59:59.999Z`) : isTime ? Date.parse(text) : Number.NaN;
  // Date.parse takes 2026-02-30 for the second of March.
  const isReal = !Number.isNaN(epochMs) && (!isDay || new Date(epochMs).toISOString().startsWith(text));
  if (isReal) return new Date(epochMs).toISOString();
  const problem = `must be a day such as 2026-12-31, a time such as 2026-12-31T12:00:00Z or a number of days such as 14d, not \`${text}\``;
  throw vpError('FLAG_INVALID', { command, flag: '--until', problem });
}
