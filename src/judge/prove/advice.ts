/** What to do about a check, in a sentence. */

/**
 * Which other checks fail whenever a check does. `same`: and the other way round. `more`: each of them also fails elsewhere.
 * `together`: only all of them combined do.
 */
export type Coverage = { readonly checkIndexes: readonly number[]; readonly how: 'same' | 'more' | 'together' };

/** `field`: as the check writes it; undefined where it names no value of the body. */
export function adviseOnNeverFailingCheck(
  isPresenceCheck: boolean,
  { field, suggestion }: { readonly field: string | undefined; readonly suggestion: string | undefined },
): string {
  if (field === undefined) return 'whatever is there, it holds: ask for what only the right result has';
  if (isPresenceCheck) return `another reading of \`${field}\` takes its place: name its key as \`["…"]\``;
  const instead = suggestion === undefined ? 'compare with the value that is expected' : `write \`${suggestion}\``;
  return `whatever \`${field}\` is, it holds: it says no more than \`body has ${field}\`; ${instead}`;
}

/** `lines`: those of the covering checks. */
export function formatCoverageAdvice(lines: readonly number[], how: Coverage['how']): string {
  const lineNames = `${lines.length === 1 ? 'line' : 'lines'} ${joinLines(lines)}`;
  if (how === 'same')
    return `${lineNames} ${lines.length === 1 ? 'notices' : 'notice'} the same: keep one of them, and leave out the rest`;
  const condition = lines.length === 1 ? `${lineNames} stays` : 'they stay';
  if (how === 'together') {
    return `nothing is wrong with it: ${lineNames} together notice all that it does; it can be removed only while ${condition}`;
  }
  const subject = lines.length === 1 ? lineNames : `each of ${lineNames}`;
  return `nothing is wrong with it: ${subject} fails whenever it does; keep it if it is easier to read, or remove it while ${condition}`;
}

/** `isKnown`: the kind of the check describes mutations. */
export function adviseOnUntestedCheck(isKnown: boolean): string {
  return isKnown
    ? 'the checks before it took all the work of one proof: prove it in a scenario with fewer checks, or on a smaller answer'
    : 'no changes are known for what it looks at';
}

function joinLines(lines: readonly number[]): string {
  const last = lines.at(-1);
  return lines.length < 2 ? String(last ?? '') : `${lines.slice(0, -1).join(', ')} and ${last}`;
}
