/** Notes on a judged run that change no result, each with its cure. */
import { looksAt } from '../check/kinds.ts';
import type { Evidence, ReceivedResponse } from '../run/evidence.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { noLineCure, statusHint } from './hints.ts';
import type { Failure, JudgedCheck } from './verdict.ts';

const statusOnlyNote =
  'the status check was applied; assertions_enforced_count is 0 because it counts only checks of the content: ' +
  'add `body has <field>` to have some';

function statusNotes(
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  { status }: ReceivedResponse,
  failure: Failure | undefined,
): readonly (string | undefined)[] {
  if (checks.some(({ check }) => check.kind === 'status')) {
    return checks.every(({ check }) => check.kind === 'status') ? [statusOnlyNote] : [];
  }
  if (!failure && status < 400) return [];
  const note = `no check names the status, so ${status} was accepted: add \`status=<code>\` under Runnable`;
  return [note, statusHint(status, evidence)];
}

/** What is to be said of a log that was looked at. No line found never changes the result where no check asks for one. */
function logNote({ checks }: Scenario, evidence: Evidence, failure: Failure | undefined): string | undefined {
  const log = evidence.log?.observed;
  if (log?.kind === 'lines' && log.lineCount === 0) {
    const cure = noLineCure(evidence);
    return failure?.cure === cure ? undefined : `no line of the target’s log holds the id of this run: ${cure}`;
  }
  if (log?.kind !== 'unavailable' || checks.some(({ check }) => looksAt(check) === 'log')) return undefined;
  return `the log could not be looked at: ${log.problem}; ${log.cure}`;
}

/** The notes, in the order in which they are told. */
export function notesOf(
  scenario: Scenario,
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  response: ReceivedResponse,
  failure: Failure | undefined,
): readonly string[] {
  const notes = [...statusNotes(checks, evidence, response, failure), logNote(scenario, evidence, failure)];
  return notes.filter((note) => note !== undefined);
}
