/** What is said once of several cases: notes and proofs. */
import type { ProvenCheck, ReportProof } from '../report.ts';

/** More would hide the others. */
const maxNotes = 20;

/** Each note once, with the cases that have it. */
export function mergeNotes(lists: readonly { readonly name: string; readonly notes: readonly string[] }[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, notes } of lists)
    for (const note of new Set(notes)) names.set(note, [...(names.get(note) ?? []), name]);
  const merged = [...names].map(([note, cases]) => {
    if (cases.length === lists.length) return note;
    const [first] = cases;
    const more = cases.length === 1 ? '' : ` and ${cases.length - 1} more`;
    return `${note} (case \`${first}\`${more})`;
  });
  const rest = merged.length - maxNotes;
  return rest > 0 ? [...merged.slice(0, maxNotes), `${rest} more notes of other cases`] : merged;
}

/** Best first. */
const verdicts: readonly ProvenCheck['verdict'][] = ['proven', 'covered', 'never_fails', 'not_tried'];

function mergeCheck(a: ProvenCheck, b: ProvenCheck): ProvenCheck {
  const best = verdicts.indexOf(b.verdict) < verdicts.indexOf(a.verdict) ? b : a;
  return { ...best, changes: a.changes + b.changes, noticed: a.noticed + b.noticed };
}

/** What a check can notice in any case, it can notice. Parts that no check looks at are those of the first case. Null where no case was proven. */
export function mergeProofs(proofs: readonly (ReportProof | null)[]): ReportProof | null {
  const tried = proofs.filter((proof) => proof !== null);
  const usable = tried.filter(({ problem }) => problem === null);
  const [first] = usable;
  if (!first) return tried[0] ?? null;
  const checks = first.checks.map((check, index) =>
    usable.slice(1).reduce((merged, proof) => {
      const other = proof.checks[index];
      return other?.line === check.line ? mergeCheck(merged, other) : merged;
    }, check),
  );
  return { ...first, changes: usable.reduce((sum, { changes }) => sum + changes, 0), checks };
}
