/** Resident memory of a process, as Linux tells it. */
import { readFileSync, writeFileSync } from 'node:fs';

/** False on systems that do not tell, where memory is not asserted. */
export const isMemoryKnown = process.platform === 'linux';

function readMiB(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** Resident memory in MiB; zero where memory is not known. */
export const readResidentMiB = (pid: number): number => (isMemoryKnown ? readMiB(pid, 'VmRSS') : 0);

/**
 * Starts to watch the memory of `pid`; the returned function gives its growth in MiB: the highest since then over `idleMiB`, by default what
 * it is now. Zero where memory is not known.
 */
export function watchMemory(pid: number, idleMiB = readResidentMiB(pid)): () => number {
  if (!isMemoryKnown) return () => 0;
  let peakMiB = 0;
  const sample = (): void => {
    peakMiB = Math.max(peakMiB, readMiB(pid, 'VmRSS'));
  };
  const timer = setInterval(sample, 10).unref();
  // Without the permission to reset the peak, samples must do.
  let isPeakReset = true;
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    isPeakReset = false;
  }
  return () => {
    clearInterval(timer);
    sample();
    return Math.max(peakMiB, isPeakReset ? readMiB(pid, 'VmHWM') : 0) - idleMiB;
  };
}
