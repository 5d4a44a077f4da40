/** Why a judged run failed: the status first, then the rest of the response, then the log and the database. */
import type { CheckSource } from '../check/check-kind.ts';
import type { Evidence, ReceivedResponse } from '../run/evidence.ts';
import { findMissingEvidence } from './evidence-checks.ts';
import { buildBodyCure, buildEvidenceCure, buildStatusCure } from './hints.ts';
import { toEvidenceObservation } from './to-observation.ts';
import type { JudgedCheck, VerdictFailure } from './verdict.ts';

/** The spec's sentence for a failing content check; it does not say which one, `failed_checks` of the report does. */
const bodyMismatchMessage = "status matched but the response body did not satisfy the scenario's body assertion";

/** The sentence where only checks of the headers fail. */
const headMismatchMessage = 'status matched but the response headers did not satisfy the scenario';

/** The sentence where only checks of the time fail. */
const timeMismatchMessage = 'status matched but the response was not in time';

/** The spec's sentence for a failing status check. */
function statusMismatchMessage(observed: number, expected: string): string {
  return `responder returned status ${observed} (codes=[${expected}])`;
}

function findStatusFailure(
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  status: number,
): VerdictFailure | undefined {
  for (const { check, definition, outcome } of checks) {
    const expected = definition.expectedStatus?.(check);
    if (expected === undefined || outcome?.passed !== false) continue;
    const message = statusMismatchMessage(status, expected);
    return { kind: 'status_mismatch', message, cure: buildStatusCure(status, evidence) };
  }
  return undefined;
}

function filterFailing(checks: readonly JudgedCheck[], source: CheckSource): readonly JudgedCheck[] {
  return checks.filter(({ definition, outcome }) => outcome?.passed === false && definition.looksAt === source);
}

function findBodyFailure(checks: readonly JudgedCheck[], response: ReceivedResponse): VerdictFailure | undefined {
  const failing = filterFailing(checks, 'response');
  if (failing.length === 0) return undefined;
  const ofContent = failing.filter(({ definition }) => !definition.readsTime);
  const isOfHead = ofContent.every(({ definition }) => definition.needsHeadOnly);
  const contentMessage = isOfHead ? headMismatchMessage : bodyMismatchMessage;
  const message = ofContent.length === 0 ? timeMismatchMessage : contentMessage;
  return { kind: 'body_mismatch', message, cure: buildBodyCure(failing, response) };
}

function joinUnique(texts: readonly string[]): string {
  return [...new Set(texts)].join('; ');
}

function findMissingEvidenceFailure(checks: readonly JudgedCheck[], evidence: Evidence): VerdictFailure | undefined {
  const observation = toEvidenceObservation(evidence);
  const missing = checks.map((entry) => findMissingEvidence(entry, observation)).filter((entry) => entry !== undefined);
  if (missing.length === 0) return undefined;
  const message = joinUnique(missing.map(({ what, problem }) => `${what}: ${problem}`));
  return { kind: 'evidence_unavailable', message, cure: joinUnique(missing.map(({ cure }) => cure)) };
}

function findEvidenceFailure(checks: readonly JudgedCheck[], evidence: Evidence): VerdictFailure | undefined {
  const [database, log] = [filterFailing(checks, 'database'), filterFailing(checks, 'log')];
  if (database.length + log.length === 0) return undefined;
  const both = database.length > 0 && log.length > 0;
  const subject = both ? 'the database and the log' : database.length > 0 ? 'the database' : 'the log';
  const message = `the response satisfied the scenario but ${subject} did not`;
  return {
    kind: 'evidence_mismatch',
    message,
    cure: buildEvidenceCure([...database, ...log], log.length > 0, evidence),
  };
}

/** The first failure in that order; undefined where every check holds. */
export function findFailure(
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  response: ReceivedResponse,
): VerdictFailure | undefined {
  return (
    findStatusFailure(checks, evidence, response.status) ??
    findBodyFailure(checks, response) ??
    findMissingEvidenceFailure(checks, evidence) ??
    findEvidenceFailure(checks, evidence)
  );
}
