/** How a run looks in lists. */
import type { Run } from '../../contract/api.ts';
import { durationText } from '../../report/measures.ts';
import { outcomeOf } from '../../report/outcome.ts';
import { printableLine } from '../../report/printable.ts';
import type { Paint } from '../../terminal/paint.ts';

/** `passed`, `failed`, `broken`, `cancelled`, or the state of a run that goes on. */
export function standingOf({ state, result, failure_kind: kind }: Run): string {
  if (state === 'queued') return 'queued';
  if (state === 'in_progress') return 'running';
  return outcomeOf({ result, failure: kind === null ? null : { kind, message: '', cure: '' } });
}

/** The colour of a run. */
export function styleOf(run: Run, paint: Paint): (text: string) => string {
  const standing = standingOf(run);
  if (standing === 'passed') return paint.passed;
  if (standing === 'failed') return paint.failed;
  if (standing === 'broken' || standing === 'cancelled') return paint.broken;
  return standing === 'running' ? paint.accent : paint.faint;
}

/** What there is to say beside: why it failed, how many are before it, whether it is to stop. */
export function remarkOf({ state, queue_position, cancel_requested, failure_summary, failure_message }: Run): string {
  if (state === 'queued') return queue_position === 0 ? 'next' : `${queue_position} before it`;
  if (state === 'in_progress') return cancel_requested ? 'asked to stop' : '';
  return failure_summary ?? failure_message ?? '';
}

/** Duration, or nothing before there is one. */
export function tookText({ duration_ms }: Run): string {
  return duration_ms === null ? '' : durationText(duration_ms);
}

/** One line about a run, for a log that goes on. */
export function runLine(run: Run, paint: Paint): string {
  const moment = (run.finished_at ?? run.started_at ?? run.requested_at).slice(11, 19);
  const standing = styleOf(run, paint)(standingOf(run).padEnd(9));
  const facts = [tookText(run), remarkOf(run)].filter((text) => text !== '').map(printableLine);
  const id = paint.strong(printableLine(run.scenario_id));
  return `${paint.faint(moment)} ${standing} ${id}  ${[run.instance, run.run_id, ...facts].join(' · ')}\n`;
}
