/**
 * What makes two failed runs the same failure: the scenario, the check that failed first, and its outcome without what differs
 * from run to run. Lines of the scenario are not part of it, because they move when the text is edited.
 */
import type { Report, ReportCheck } from '../report/report.ts';

/** `check`, `step` and `line` are null where nothing could be judged; `line` is where the check was in this run. */
export type Failure = {
  readonly scenario: string;
  readonly check: string | null;
  readonly step: string | null;
  readonly line: number | null;
  readonly outcome: string;
  readonly kind: string;
};

const maxOutcomeLength = 160;
/** Further text of a value only costs time: it is cut off anyway. */
const maxInputLength = 2000;

/** Identifiers, times and numbers, from the longest form to the shortest. Each becomes `#`. */
const variableParts: readonly RegExp[] = [
  /\btr-\d{8}T\d{9}-[\w-]{1,80}/g,
  /\b\d{8}T\d{9}\b/g,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?Z|[+-]\d\d:?\d\d)?)?/g,
  /\b\d\d?:\d\d(?::\d\d(?:[.,]\d{1,9})?)?\b/g,
  /(?<![0-9a-z])(?=[a-z]{0,64}\d)[0-9a-z]{8,}/gi,
  /[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?: ?(?:ms|s|min|h)\b)?/gi,
];

/** `text` on one line, with identifiers, times and numbers replaced by `#`, and not longer than people read. */
export function normalizeOutcome(text: string): string {
  const line = text.slice(0, maxInputLength).replaceAll(/\s+/g, ' ').trim();
  const constant = variableParts.reduce((rest, part) => rest.replaceAll(part, '#'), line);
  return constant.length > maxOutcomeLength ? `${constant.slice(0, maxOutcomeLength - 1)}…` : constant;
}

/** The failing checks, without those that only follow from a wrong status. */
export function listOwnFailures(checks: readonly ReportCheck[]): readonly ReportCheck[] {
  const failing = checks.filter(({ outcome }) => outcome === 'failed');
  const own = failing.filter(({ follows_from_status: follows }) => !follows);
  return own.length > 0 ? own : failing;
}

/** Undefined for a run that did not fail. */
export function describeFailure(
  report: Pick<Report, 'result' | 'scenario' | 'failure' | 'checks'>,
): Failure | undefined {
  if (report.result !== 'failed') return undefined;
  const scenario = report.scenario.id;
  const kind = report.failure?.kind ?? 'unknown';
  const [check] = listOwnFailures(report.checks);
  if (!check)
    return {
      scenario,
      check: null,
      step: null,
      line: null,
      outcome: normalizeOutcome(report.failure?.message ?? ''),
      kind,
    };
  const actual = check.actual ?? 'nothing';
  // Another status is another failure.
  const outcome = check.kind === 'status' ? actual.slice(0, maxOutcomeLength) : normalizeOutcome(actual);
  return { scenario, check: check.text, step: check.step ?? null, line: check.line, outcome, kind };
}

/** The columns of a failed run whose report has expired. */
export type ExpiredFailure = {
  readonly scenario: string;
  readonly kind: string | null;
  readonly message: string | null;
  /** `<check>: got <actual> (+<further checks>)`. */
  readonly summary: string | null;
};

/** The same from what is left of a run without its report: the step is not known, and long values are cut off. */
export function describeExpiredFailure({ scenario, kind, message, summary }: ExpiredFailure): Failure {
  const rest = { scenario, step: null, line: null, kind: kind ?? 'unknown' };
  const [, check, actual] = /^(.*?): got (.*?)(?: \(\+\d+\))?$/s.exec(summary ?? '') ?? [];
  if (check === undefined || actual === undefined)
    return { ...rest, check: null, outcome: normalizeOutcome(message ?? summary ?? '') };
  return { ...rest, check, outcome: kind === 'status_mismatch' ? actual : normalizeOutcome(actual) };
}

/** A text that two failures share exactly when they are the same. */
export function toFingerprintText({ scenario, check, step, outcome, kind }: Failure): string {
  // Where nothing was judged, the kind says what happened; a check says it itself.
  return JSON.stringify(check === null ? [scenario, kind, outcome] : [scenario, step, check, outcome]);
}
