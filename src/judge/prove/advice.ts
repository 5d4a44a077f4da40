/** What to do about a check, in a sentence. */
import type { JudgedCheck } from '../verdict.ts';
import { fieldOf } from './body-changes.ts';

/** `how`: `same`: it covers them too. `more`: each of them alone notices all that it does. `together`: only all of them do. */
export type Cover = { readonly by: readonly number[]; readonly how: 'same' | 'more' | 'together' };

/** `better`: a check of the same value that would notice. */
export function adviceOnNeverFailing({ check }: JudgedCheck, better: string | undefined): string {
  const field = fieldOf(check)?.text;
  if (field === undefined) return 'whatever is there, it holds: ask for what only the right result has';
  if (check.kind === 'exists') return `another reading of \`${field}\` takes its place: name its key as \`["…"]\``;
  const instead = better === undefined ? 'compare with the value that is expected' : `write \`${better}\``;
  return `whatever \`${field}\` is, it holds: it says no more than \`body has ${field}\`; ${instead}`;
}

/** `lines` of the checks that notice the same. */
export function adviceOnCovered(lines: readonly number[], how: Cover['how']): string {
  const named = `${lines.length === 1 ? 'line' : 'lines'} ${listed(lines)}`;
  if (how === 'same')
    return `${named} ${lines.length === 1 ? 'notices' : 'notice'} the same: keep one of them, and leave out the rest`;
  const stay = lines.length === 1 ? 'it stays' : 'they stay';
  if (how === 'together') {
    return `nothing is wrong with it: ${named} together notice all that it does; leave it out only while ${stay}`;
  }
  const each = lines.length === 1 ? named : `each of ${named}`;
  return `nothing is wrong with it: ${each} fails whenever it does; keep it if it reads better, or leave it out while ${stay}`;
}

/** `isKnown`: changes for its kind are known. */
export function adviceOnUntried(isKnown: boolean): string {
  return isKnown
    ? 'the checks before it took all the work of one proof: prove it in a scenario with fewer checks, or on a smaller answer'
    : 'no changes are known for what it looks at';
}

function listed(lines: readonly number[]): string {
  const last = lines.at(-1);
  return lines.length < 2 ? String(last ?? '') : `${lines.slice(0, -1).join(', ')} and ${last}`;
}
