/**
 * Redacts evidence, verdict and proof for people. What checks see is concealed before; this also removes the shorter
 * secrets.
 */
import { type Json, toStringForm } from '../../check/json/json.ts';
import type {
  LogGap,
  LogGaps,
  ObservedLog,
  ObservedQueryResult,
  UnavailableEvidence,
} from '../../check/observation.ts';
import { anyTextTest } from '../../check/subjects/suggest-test.ts';
import type { CheckProof, Proof, UncheckedPart } from '../../judge/prove/proof.ts';
import type { JudgedCheck, JudgedStep, Verdict } from '../../judge/verdict.ts';
import type { Evidence } from '../../run/evidence.ts';
import type { Redactor } from './redactor.ts';
import type { RunRedaction } from './run-redaction.ts';

export function redactEvidence(evidence: Evidence, { redactText }: Redactor): Evidence {
  const { log, queries } = evidence;
  return {
    ...evidence,
    log: log && { ...log, observed: redactLog(log.observed, redactText) },
    queries: queries?.map((query) => ({ ...query, observed: redactQuery(query.observed, redactText) })),
  };
}

type RedactFunction = Redactor['redactText'];

function redactLog(observed: ObservedLog, redact: RedactFunction): ObservedLog {
  if (observed.kind === 'unavailable') return redactUnavailable(observed, redact);
  const lines = observed.lines.map((line) => ({
    ...line,
    text: redact(line.text),
    level: line.level && redact(line.level),
  }));
  return { ...observed, lines, gaps: redactGaps(observed.gaps, redact) };
}

function redactGaps({ unseen, ...gaps }: LogGaps, redact: RedactFunction): LogGaps {
  const redactGap = (gap: LogGap | undefined): LogGap | undefined =>
    gap && { ...gap, problem: redact(gap.problem), cure: redact(gap.cure) };
  return {
    lines: gaps.lines,
    errors: redactGap(gaps.errors),
    sagaEvents: redactGap(gaps.sagaEvents),
    fields: redactGap(gaps.fields),
    unseen: unseen.map((entry) => ({ ...entry, instead: entry.instead && redact(entry.instead) })),
  };
}

function redactQuery(observed: ObservedQueryResult, redact: RedactFunction): ObservedQueryResult {
  if (observed.kind === 'unavailable') return redactUnavailable(observed, redact);
  return { ...observed, rows: observed.rows.map((row) => row.map((value) => redactValue(value, redact))) };
}

function redactUnavailable(observed: UnavailableEvidence, redact: RedactFunction): UnavailableEvidence {
  return { ...observed, problem: redact(observed.problem), cure: redact(observed.cure) };
}

function redactValue(value: Json, redact: RedactFunction): Json {
  if (value === null) return null;
  const plainText = toStringForm(value);
  const redactedText = redact(plainText);
  return redactedText === plainText ? value : redactedText;
}

/** Judging used the unredacted evidence; the redacted verdict is for people. */
export function redactVerdict(verdict: Verdict, { redactText }: Redactor): Verdict {
  const { failure, checks, notes } = verdict;
  return {
    ...verdict,
    failure: failure && { ...failure, message: redactText(failure.message), cure: redactText(failure.cure) },
    checks: checks.map((check) => redactJudgedCheck(check, redactText)),
    notes: notes.map(redactText),
  };
}

function redactJudgedCheck(check: JudgedCheck, redactText: Redactor['redactText']): JudgedCheck {
  const { outcome } = check;
  const redactedOutcome = outcome && {
    ...outcome,
    expected: redactText(outcome.expected),
    actual: redactText(outcome.actual),
  };
  return { ...check, text: redactText(check.text), outcome: redactedOutcome };
}

/** A request of STEPS or CLEANUP, for people. */
export function redactStep(step: JudgedStep, { redactor, redactExchange }: RunRedaction): JudgedStep {
  const { redactText } = redactor;
  const { failure, checks, evidence } = step;
  return {
    ...step,
    failure: failure && { message: redactText(failure.message), cure: redactText(failure.cure) },
    checks: checks.map((check) => redactJudgedCheck(check, redactText)),
    evidence: evidence && redactExchange(evidence),
  };
}

/** Proving used the unredacted evidence; the redacted proof is for people. */
export function redactProof(proof: Proof, { redactText }: Redactor): Proof {
  return {
    ...proof,
    problem: proof.problem && redactText(proof.problem),
    checks: proof.checks.map((check) => redactCheckProof(check, redactText)),
    unchecked: proof.unchecked.flatMap((part) => redactUncheckedPart(part, redactText)),
  };
}

function redactCheckProof(check: CheckProof, redactText: Redactor['redactText']): CheckProof {
  const { example, advice } = check;
  return {
    ...check,
    text: redactText(check.text),
    example: example && redactText(example),
    advice: advice && redactText(advice),
  };
}

/** A check must not name a secret: a suggestion for a secret's value accepts any text. */
function redactUncheckedPart(unredacted: UncheckedPart, redactText: Redactor['redactText']): UncheckedPart[] {
  const { pointer, field, value, suggestion, note } = unredacted;
  const part = note === undefined ? unredacted : { ...unredacted, note: redactText(note) };
  const redactedValue = redactText(value);
  if (redactedValue === value && redactText(suggestion) === suggestion)
    return redactText(pointer) === pointer ? [part] : [];
  if (field === undefined || redactText(field) !== field || redactText(pointer) !== pointer) return [];
  return [{ ...part, value: redactedValue, suggestion: `body has ${field} ${anyTextTest}` }];
}
