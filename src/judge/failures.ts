/** Why a judged run failed: the status first, then the body, then what was seen beside the answer. */
import { looksAt } from '../check/kinds.ts';
import type { Evidence, ReceivedResponse } from '../run/evidence.ts';
import { type MissingEvidence, missingFor } from './evidence-checks.ts';
import { bodyCure, evidenceCure, statusCure } from './hints.ts';
import { besideOf } from './observed-of.ts';
import type { Failure, JudgedCheck } from './verdict.ts';

/** The spec's sentence for a failing content check; it does not say which one, `failed_checks` of the report does. */
export const bodyMismatchMessage = "status matched but the response body did not satisfy the scenario's body assertion";

/** The spec's sentence for a failing status check. */
export function statusMismatchMessage(observed: number, expected: number): string {
  return `responder returned status ${observed} (codes=[${expected}])`;
}

function statusFailure(checks: readonly JudgedCheck[], evidence: Evidence, status: number): Failure | undefined {
  for (const { check, outcome } of checks) {
    if (check.kind !== 'status' || outcome?.passed !== false) continue;
    const message = statusMismatchMessage(status, check.code);
    return { kind: 'status_mismatch', message, cure: statusCure(status, evidence) };
  }
  return undefined;
}

function failingAt(checks: readonly JudgedCheck[], at: 'response' | 'database' | 'log'): readonly JudgedCheck[] {
  return checks.filter(({ check, outcome }) => outcome?.passed === false && looksAt(check) === at);
}

function bodyFailure(checks: readonly JudgedCheck[], response: ReceivedResponse): Failure | undefined {
  const failing = failingAt(checks, 'response');
  if (failing.length === 0) return undefined;
  return { kind: 'body_mismatch', message: bodyMismatchMessage, cure: bodyCure(failing, response) };
}

function unique(texts: readonly string[]): string {
  return [...new Set(texts)].join('; ');
}

function missingFailure(checks: readonly JudgedCheck[], evidence: Evidence): Failure | undefined {
  const beside = besideOf(evidence);
  const missing = checks
    .map(({ check }) => missingFor(check, beside))
    .filter((each): each is MissingEvidence => each !== undefined);
  if (missing.length === 0) return undefined;
  const message = unique(missing.map(({ where, problem }) => `${where} could not be looked at: ${problem}`));
  return { kind: 'evidence_unavailable', message, cure: unique(missing.map(({ cure }) => cure)) };
}

function evidenceFailure(checks: readonly JudgedCheck[], evidence: Evidence): Failure | undefined {
  const [database, log] = [failingAt(checks, 'database'), failingAt(checks, 'log')];
  if (database.length + log.length === 0) return undefined;
  const both = database.length > 0 && log.length > 0;
  const which = both ? 'the database and the log' : database.length > 0 ? 'the database' : 'the log';
  const message = `the response satisfied the scenario but ${which} did not`;
  return { kind: 'evidence_mismatch', message, cure: evidenceCure([...database, ...log], log.length > 0, evidence) };
}

/** The first failure in that order; undefined where every check holds. */
export function failureOf(
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  response: ReceivedResponse,
): Failure | undefined {
  return (
    statusFailure(checks, evidence, response.status) ??
    bodyFailure(checks, response) ??
    missingFailure(checks, evidence) ??
    evidenceFailure(checks, evidence)
  );
}
