/** How runs are displayed in lists. */
import type { Run } from '../../contract/api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatTimeTaken } from '../../report/measures.ts';
import { formatQuarantineEnd } from '../../run/quarantine.ts';
import { describeRunState, getRunOutcome } from '../../run/state.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';

/** True for a run that failed because it could not be judged, not because a check was false. */
function isBroken({ state, failure_kind: kind }: Run): boolean {
  return getRunOutcome(state, kind) === 'broken';
}

export function formatState({ state, failure_kind: kind }: Run): string {
  return describeRunState(state, kind);
}

export function runStyle(run: Run, paint: TerminalPaint): (text: string) => string {
  if (run.state === 'passed') return paint.passed;
  if (run.state === 'failed' && !isBroken(run) && !run.quarantine) return paint.failed;
  if (run.state === 'failed' || run.state === 'cancelled') return paint.broken;
  return run.state === 'in_progress' ? paint.accent : paint.faint;
}

/** Why it failed, whether it could be judged, how many runs are ahead of it, whether it was asked to stop. */
export function formatRemark(run: Run): string {
  const { state, queue_position, cancel_requested, failure_kind, failure_summary, failure_message, quarantine } = run;
  if (state === 'queued') return queue_position === 0 ? 'next' : `${queue_position} ahead of it`;
  if (state === 'in_progress') return cancel_requested ? 'asked to stop' : '';
  const kind = isBroken(run) ? (failure_kind ?? 'no reason known') : '';
  const apart = quarantine ? `in quarantine until ${formatQuarantineEnd(quarantine.until)}` : '';
  return [apart, kind, failure_summary ?? failure_message ?? ''].filter(Boolean).join(': ');
}

/** Empty for a run that has not ended. */
export function formatRunDuration({ duration_ms, evidence_ms }: Run): string {
  return duration_ms === null ? '' : formatTimeTaken({ total_ms: duration_ms, evidence_ms });
}

/** The line of `vp runs --watch`. */
export function formatWatchLine(run: Run, paint: TerminalPaint): string {
  const moment = (run.finished_at ?? run.started_at ?? run.requested_at).slice(11, 19);
  const state = runStyle(run, paint)(formatState(run).padEnd(11));
  const facts = [formatRunDuration(run), formatRemark(run)].filter((text) => text !== '').map(escapeUnsafeLine);
  const id = paint.strong(escapeUnsafeLine(run.scenario_id));
  return `${paint.faint(moment)} ${state} ${id}  ${[run.instance, run.run_id, ...facts].join(' · ')}\n`;
}
