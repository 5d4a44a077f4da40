/** How a run looks in lists. */
import type { Run } from '../../contract/api.ts';
import { durationText } from '../../report/measures.ts';
import { outcomeOf } from '../../report/outcome.ts';
import { printableLine } from '../../report/printable.ts';
import type { Paint } from '../../terminal/paint.ts';

/** True for a run that failed although no check was false: nothing could be judged. */
function isBroken({ state, result, failure_kind: kind }: Run): boolean {
  return (
    state === 'failed' &&
    outcomeOf({ result, failure: kind === null ? null : { kind, message: '', cure: '' } }) === 'broken'
  );
}

/** The colour of a run. */
export function styleOf(run: Run, paint: Paint): (text: string) => string {
  if (run.state === 'passed') return paint.passed;
  if (run.state === 'failed' && !isBroken(run)) return paint.failed;
  if (run.state === 'failed' || run.state === 'cancelled') return paint.broken;
  return run.state === 'in_progress' ? paint.accent : paint.faint;
}

/** What there is to say beside: why it failed, whether that was judged, how many are before it, whether it is to stop. */
export function remarkOf(run: Run): string {
  const { state, queue_position, cancel_requested, failure_kind, failure_summary, failure_message } = run;
  if (state === 'queued') return queue_position === 0 ? 'next' : `${queue_position} before it`;
  if (state === 'in_progress') return cancel_requested ? 'asked to stop' : '';
  const why = failure_summary ?? failure_message ?? '';
  return isBroken(run) ? [`not judged, ${failure_kind ?? 'no reason known'}`, why].filter(Boolean).join(': ') : why;
}

/** Duration, or nothing before there is one. */
export function tookText({ duration_ms }: Run): string {
  return duration_ms === null ? '' : durationText(duration_ms);
}

/** One line about a run, for a log that goes on. */
export function runLine(run: Run, paint: Paint): string {
  const moment = (run.finished_at ?? run.started_at ?? run.requested_at).slice(11, 19);
  const state = styleOf(run, paint)(run.state.padEnd(11));
  const facts = [tookText(run), remarkOf(run)].filter((text) => text !== '').map(printableLine);
  const id = paint.strong(printableLine(run.scenario_id));
  return `${paint.faint(moment)} ${state} ${id}  ${[run.instance, run.run_id, ...facts].join(' · ')}\n`;
}
