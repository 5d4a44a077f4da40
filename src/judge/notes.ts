/** Notes on a judged run that change no result, each with a fix. */
import type { UnseenField } from '../check/observation.ts';
import { formatError } from '../errors/vp-error.ts';
import type { Evidence, ReceivedResponse } from '../run/evidence.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { buildNoLineCure, buildStatusHint } from './hints.ts';
import type { JudgedCheck, VerdictFailure } from './verdict.ts';

const statusOnlyNote =
  'the status check was applied; assertions_enforced_count is 0 because it counts only checks of the content: ' +
  'add `body has <field>` to have some';

function collectStatusNotes(
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  { status }: ReceivedResponse,
  failure: VerdictFailure | undefined,
): readonly (string | undefined)[] {
  const statusChecks = checks.filter(({ definition }) => definition.expectedStatus !== undefined);
  if (statusChecks.length > 0) return statusChecks.length === checks.length ? [statusOnlyNote] : [];
  if (!failure && status < 400) return [];
  const note = `no check names the status, so ${status} was accepted: add \`status=<code>\` under Runnable`;
  return [note, buildStatusHint(status, evidence)];
}

/** What came behind the response is not part of it, but the body that was judged may be cut. */
export function findSurplusNote({ surplusBytes = 0 }: Evidence): string | undefined {
  if (surplusBytes === 0) return undefined;
  const { message, cure } = formatError('EVIDENCE_RESPONSE_SURPLUS', { bytes: surplusBytes });
  return `${message}: ${cure}`;
}

/** A log without a line of the run changes the result only where a check reads the log. */
function findLogNote(
  { checks }: Scenario,
  evidence: Evidence,
  failure: VerdictFailure | undefined,
): string | undefined {
  const log = evidence.log?.observed;
  if (log?.kind === 'lines' && log.lineCount === 0) {
    const cure = buildNoLineCure(evidence);
    return failure?.cure === cure ? undefined : `no line of the target’s log holds the id of this run: ${cure}`;
  }
  if (log?.kind !== 'unavailable' || checks.some(({ definition }) => definition.looksAt === 'log')) return undefined;
  return `the log could not be read: ${log.problem}; ${log.cure}`;
}

/**
 * Lines are found by the run's id wherever it stands, so a wrong `correlation_field` breaks nothing, and would stay wrong.
 * Most runs have no saga event, so its field is missed only where a check counts them.
 */
function listUnseenFields({ checks }: Scenario, evidence: Evidence, failure: VerdictFailure | undefined): string[] {
  const log = evidence.log?.observed;
  if (log?.kind !== 'lines') return [];
  const countsSagaEvents = checks.some(({ check }) => 'subject' in check && check.subject === 'saga_events');
  const isExplainedByFailure = failure?.kind === 'evidence_unavailable';
  return log.gaps.unseen.flatMap((unseen) => {
    if (unseen.member === 'saga_event_field' && !countsSagaEvents) return [];
    if (unseen.member === 'level_field' && isExplainedByFailure) return [];
    const { message, cure } = describeUnseen(unseen);
    return [`${message}: ${cure}`];
  });
}

function describeUnseen({ member, field, instead }: UnseenField) {
  const missing = member === 'correlation_field' ? 'has its id there' : 'has that field';
  const insteadText = instead === undefined ? '' : `, here \`${instead}\``;
  return formatError('EVIDENCE_FIELD_UNSEEN', { member, field, missing, instead: insteadText });
}

export function collectVerdictNotes(
  scenario: Scenario,
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  response: ReceivedResponse,
  failure: VerdictFailure | undefined,
): readonly string[] {
  const notes = [
    ...collectStatusNotes(checks, evidence, response, failure),
    findSurplusNote(evidence),
    findLogNote(scenario, evidence, failure),
    ...listUnseenFields(scenario, evidence, failure),
  ];
  return notes.filter((note) => note !== undefined);
}
