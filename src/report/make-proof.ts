/** A proof → its part of the report. */
import type { CheckProof, Proof, UncheckedPart } from '../judge/prove/proof.ts';
import { shortened } from './excerpt.ts';
import type { ProvenCheck, ReportProof } from './report.ts';

/** Longest sentence, in UTF-16 units; less than the wire allows. */
const longest = 3000;

/** The proof's part. */
export function proofOf({ changes, checks, unchecked, problem }: Proof): ReportProof {
  return { changes, checks: checks.map(checkOf), unchecked: unchecked.map(partOf), problem: sentence(problem) };
}

function checkOf({ text, line, verdict, changes, noticed, coveredBy, example, advice }: CheckProof): ProvenCheck {
  const told = { example: sentence(example), advice: sentence(advice) };
  return { text, line, verdict, changes, noticed, covered_by: [...coveredBy], ...told };
}

function partOf({ pointer, value, suggestion }: UncheckedPart): ReportProof['unchecked'][number] {
  return { pointer, value, suggestion };
}

function sentence(text: string | undefined): string | null {
  return text === undefined ? null : shortened(text, longest);
}
