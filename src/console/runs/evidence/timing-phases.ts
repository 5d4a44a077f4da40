import type { Report } from '../../../report/report.ts';

/** A phase of a run, in milliseconds since the run was requested. */
export type TimingPhase = { readonly name: string; readonly startMs: number; readonly endMs: number };

/**
 * Converts the timings of a report to consecutive phases. The timings count from the moment the executor started the run.
 * Phases that were not reached are omitted.
 */
export function toTimingPhases({ queued_ms: queuedMs, ...timings }: Report['timings']): TimingPhase[] {
  const phaseEnds = [
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['judged', timings.total_ms],
    ['log and database', timings.evidence_ms === null ? null : timings.total_ms + timings.evidence_ms],
  ] as const;
  const phases: TimingPhase[] = [{ name: 'queued', startMs: 0, endMs: queuedMs }];
  let startMs = queuedMs;
  for (const [name, atMs] of phaseEnds) {
    if (atMs === null) continue;
    const endMs = Math.max(startMs, queuedMs + atMs);
    phases.push({ name, startMs, endMs });
    startMs = endMs;
  }
  return phases;
}
