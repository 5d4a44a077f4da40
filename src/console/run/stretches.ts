import type { Report } from '../../report/report.ts';

/** A part of the way, in milliseconds from the request for the run. */
export type Stretch = { readonly name: string; readonly startMs: number; readonly endMs: number };

/**
 * The timings of a report as stretches that follow each other. Timings count from the moment the executor took the run up;
 * what was never reached is left out.
 */
export function stretchesOf({ queued_ms: queued, ...timings }: Report['timings']): Stretch[] {
  const ends = [
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['judged', timings.total_ms],
    ['log and database', timings.evidence_ms === null ? null : timings.total_ms + timings.evidence_ms],
  ] as const;
  const stretches: Stretch[] = [{ name: 'queued', startMs: 0, endMs: queued }];
  let startMs = queued;
  for (const [name, atMs] of ends) {
    if (atMs === null) continue;
    const endMs = Math.max(startMs, queued + atMs);
    stretches.push({ name, startMs, endMs });
    startMs = endMs;
  }
  return stretches;
}
