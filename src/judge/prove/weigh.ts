/** What was tried → what a check is worth. */
import type { JudgedCheck } from '../verdict.ts';
import { adviceOnCovered, adviceOnNeverFailing, adviceOnUntried, type Cover } from './advice.ts';
import type { CheckProof } from './proof.ts';
import type { Trial, Tried } from './try-changes.ts';

/** Lines told at most. */
const mostLines = 20;

/** Weighs the check at `index`. `triedOf` holds the changes of what each check names; `better` is a check to write in its place. */
export function weigh(
  index: number,
  checks: readonly JudgedCheck[],
  triedOf: ReadonlyMap<number, Tried>,
  better: () => string | undefined,
): CheckProof | undefined {
  const entry = checks[index];
  if (!entry) return undefined;
  const tried = triedOf.get(index);
  const isPresence = asksForPresence(entry);
  const trials = trialsFor(entry, tried);
  const noticed = trials.filter(({ noticedBy }) => noticedBy.has(index));
  const telling = noticed.filter(({ change }) => isPresence || change.touches === 'content');
  const counts = { changes: trials.length, noticed: noticed.length };
  const told = { text: entry.text, line: entry.range.start.line, ...counts };
  const none = { ...told, coveredBy: [], example: noticed[0]?.change.words };
  if (telling.length === 0) {
    const failing = tried?.isComplete && trials.length > 0;
    if (!failing) return { ...none, verdict: 'not_tried', advice: adviceOnUntried(tried !== undefined) };
    return { ...none, verdict: 'never_fails', advice: adviceOnNeverFailing(entry, better()) };
  }
  const alone = noticed.filter(({ noticedBy }) => noticedBy.size === 1);
  if (alone.length > 0) {
    const example = alone.find((trial) => telling.includes(trial)) ?? alone[0];
    return { ...told, verdict: 'proven', coveredBy: [], example: example?.change.words, advice: undefined };
  }
  if (!tried?.isComplete) return { ...none, verdict: 'not_tried', advice: adviceOnUntried(true) };
  const cover = coverOf(index, noticed, (other) => noticedBy(other, checks, triedOf));
  const advice = adviceOnCovered(linesOf(cover.by, checks), cover.how);
  const example = telling[0]?.change.words;
  return { ...told, verdict: 'covered', coveredBy: linesOf(cover.by, checks), example, advice };
}

/** The changes of what a check names that concern it. */
function trialsFor(entry: JudgedCheck, tried: Tried | undefined): Trial[] {
  return (tried?.trials ?? []).filter(({ change }) => !asksForPresence(entry) || change.touches === 'presence');
}

/** Whatever is there will do for it. */
function asksForPresence({ check }: JudgedCheck): boolean {
  return check.kind === 'exists' || ('test' in check && check.test.kind === 'exists');
}

function noticedBy(index: number, checks: readonly JudgedCheck[], triedOf: ReadonlyMap<number, Tried>): Trial[] {
  const entry = checks[index];
  return entry ? trialsFor(entry, triedOf.get(index)).filter((trial) => trial.noticedBy.has(index)) : [];
}

function coverOf(index: number, noticed: readonly Trial[], noticedOf: (other: number) => readonly Trial[]): Cover {
  const others = [...(noticed[0]?.noticedBy ?? [])].filter((other) => other !== index);
  const covering = others.filter((other) => noticed.every((trial) => trial.noticedBy.has(other))).slice(0, mostLines);
  if (covering.length > 0) {
    const more = covering.filter((other) => noticedOf(other).some((trial) => !trial.noticedBy.has(index)));
    return more.length > 0 ? { by: more, how: 'more' } : { by: covering, how: 'same' };
  }
  const some = new Set(noticed.flatMap((trial) => [...trial.noticedBy]));
  some.delete(index);
  return { by: [...some].sort((a, b) => a - b), how: 'together' };
}

function linesOf(indices: readonly number[], checks: readonly JudgedCheck[]): number[] {
  return indices.slice(0, mostLines).flatMap((index) => checks[index]?.range.start.line ?? []);
}
