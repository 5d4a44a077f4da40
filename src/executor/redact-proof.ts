import type { CheckProof, Proof, UncheckedPart } from '../judge/prove/proof.ts';
import { anyText } from '../judge/prove/shape.ts';
import type { Redactor } from './redact.ts';

/** The proof as people may read it: found on what really came, told without secrets. */
export function redactProof(proof: Proof, { text }: Redactor): Proof {
  return {
    ...proof,
    problem: proof.problem && text(proof.problem),
    checks: proof.checks.map((check) => redactCheck(check, text)),
    unchecked: proof.unchecked.flatMap((part) => redactPart(part, text)),
  };
}

function redactCheck(check: CheckProof, text: Redactor['text']): CheckProof {
  const { example, advice } = check;
  return { ...check, text: text(check.text), example: example && text(example), advice: advice && text(advice) };
}

/** A check must not name a secret: one that is proposed for a secret's place asks for any text. */
function redactPart(part: UncheckedPart, text: Redactor['text']): UncheckedPart[] {
  const { pointer, field, value, suggestion } = part;
  const shown = text(value);
  if (shown === value && text(suggestion) === suggestion) return text(pointer) === pointer ? [part] : [];
  if (field === undefined || text(field) !== field || text(pointer) !== pointer) return [];
  return [{ ...part, value: shown, suggestion: `body has ${field} ${anyText}` }];
}
