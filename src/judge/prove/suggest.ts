/** Proposes checks: each was read by the parser without a problem, and passes on the observation. */
import type { CheckKind } from '../../check/check-kind.ts';
import { isWritableInScenario } from '../../check/json/format-field-path.ts';
import { getCheckKind } from '../../check/kinds.ts';
import type { Observation } from '../../check/observation.ts';
import { parseCheck } from '../../check/parse-check.ts';
import type { UncheckedCandidate } from '../../check/subjects/subject.ts';
import type { UncheckedPart } from './proof.ts';

/** The first of the texts that is a check without a problem and passes. */
export function findPassingCheckText(
  texts: readonly string[],
  observation: Observation,
  kinds: readonly CheckKind[],
): string | undefined {
  return texts.find((text) => passes(text, observation, kinds));
}

function passes(text: string, observation: Observation, kinds: readonly CheckKind[]): boolean {
  let isClean = text === text.trim() && isWritableInScenario(text);
  const check = parseCheck(
    text,
    () => {
      isClean = false;
    },
    'refused',
    kinds,
  );
  return isClean && check !== undefined && getCheckKind(check, kinds).judge(check, observation).passed;
}

/** Empty where no suggestion passes. */
export function toUncheckedPart(
  { pointer, value, suggestions }: UncheckedCandidate,
  observation: Observation,
  kinds: readonly CheckKind[],
): UncheckedPart[] {
  const suggestion = findPassingCheckText(suggestions, observation, kinds);
  return suggestion === undefined ? [] : [{ pointer, field: undefined, value, suggestion }];
}
