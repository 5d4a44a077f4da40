/** Numbers with their units, for people. */
import type { Report } from './report.ts';

/** `0.4 ms`, `38 ms`, `1.25 s`, `2 min`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${Number((ms / 1000).toFixed(2))} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = `${Math.floor(seconds / 60)} min`;
  return seconds % 60 === 0 ? minutes : `${minutes} ${seconds % 60} s`;
}

/** `412 B`, `1.2 kB`, `10 MB`; powers of 1000. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${Number((bytes / 1000).toFixed(1))} kB`;
  return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}

/** `p < 0.001`, `p = 0.0042`, `p = 0.37`. */
export function formatPValue(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`;
}

/** Shorter waits are not worth a word. */
const minWaitMs = 10;

/** `38 ms`; where log or database were read, `38 ms + 2.01 s for evidence`: `total_ms` ends with the response. */
export function formatTimeTaken({
  total_ms: totalMs,
  evidence_ms: evidenceMs,
}: Pick<Report['timings'], 'total_ms' | 'evidence_ms'>): string {
  return evidenceMs === null || evidenceMs < minWaitMs
    ? formatDuration(totalMs)
    : `${formatDuration(totalMs)} + ${formatDuration(evidenceMs)} for evidence`;
}
