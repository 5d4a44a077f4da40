/** What no check of a log looks at, though checks look at the log: errors, saga events, and fields of the run's lines. */
import { described, isList, isObject, stringForm } from '../../check/bounded.ts';
import { resolve } from '../../check/field-path.ts';
import { looksAt } from '../../check/kinds.ts';
import type { Json, Observed, ObservedLine, ObservedLog } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import type { UncheckedPart } from './proof.ts';
import { seenAs } from './seen.ts';
import { anyText, shapeOf } from './shape.ts';
import { fieldText, partOf } from './suggest.ts';

type Lines = Extract<ObservedLog, { kind: 'lines' }>;

/** Fields told at most, the rare ones first: what only one line has says more of a run than what stands in all. */
const mostFields = 8;
const deepest = 4;
/** Fields looked at in all lines together. */
const mostLooked = 2000;

/** What loggers write by themselves, or what is another at every run. */
const ofTheLogger =
  /^(time|timestamp|@timestamp|ts|date|pid|hostname|host|v|version|level|severity|logger|thread|ms|took)$/i;
const measured = /(duration|elapsed|latency|_?ms|time|seconds|bytes|size|port)$/i;
const ofTheRun = /^tr-\d{8}T\d{9}-/;

/** Nothing where no check looks at the log, or none was seen. */
export function uncheckedLog(checks: readonly JudgedCheck[], observed: Observed): UncheckedPart[] {
  const { log } = observed;
  if (log?.kind !== 'lines' || !checks.some(({ check }) => looksAt(check) === 'log')) return [];
  const counts = new Set(checks.flatMap(({ check }) => (check.kind === 'log_count' ? [check.of] : [])));
  const { errorCount, sagaEventCount: sagas } = log;
  return [
    ...(counts.has('errors') || errorCount > 0 ? [] : partOf('log errors', '0', ['log errors=0'], observed)),
    ...(counts.has('saga_events') || sagas === 0
      ? []
      : partOf('log saga_events', String(sagas), [`log saga_events>=${sagas}`], observed)),
    ...fieldParts(log, checks, observed),
  ];
}

type Field = { readonly text: string; readonly value: Json; lines: number };

function fieldParts(log: Lines, checks: readonly JudgedCheck[], observed: Observed): UncheckedPart[] {
  const named = checks.flatMap(({ check }) => (check.kind === 'log_has' ? [check.field] : []));
  const isNamed = ({ fields }: ObservedLine, text: string): boolean =>
    fields !== undefined && named.some((field) => field.text === text && resolve(fields, field) !== undefined);
  const found = new Map<string, Field>();
  let left = mostLooked;
  for (const line of log.lines) {
    for (const [text, value] of leavesOf(line, () => left-- > 0)) {
      const known = found.get(text);
      if (known) known.lines += 1;
      else if (!isNamed(line, text)) found.set(text, { text, value: seenAs(value, observed), lines: 1 });
    }
  }
  const rareFirst = [...found.values()].sort((a, b) => a.lines - b.lines);
  return rareFirst.flatMap((field) => partOfField(field, observed)).slice(0, mostFields);
}

function partOfField({ text, value }: Field, observed: Observed): UncheckedPart[] {
  const shape = shapeOf(value, text);
  // Any text would do there: such a check says next to nothing.
  if (shape === anyText) return [];
  return partOf(`log ${text}`, described(value), [`log has ${text} ${shape}`], observed);
}

type Node = { readonly steps: readonly string[]; readonly value: Json };

/** Texts, numbers and truth values with the field that names each, but those that say nothing of what was done. */
function* leavesOf({ fields }: ObservedLine, mayLook: () => boolean): Generator<readonly [string, Json]> {
  if (!fields) return;
  const waiting: Node[] = [{ steps: [], value: fields }];
  for (let node = waiting.shift(); node && mayLook(); node = waiting.shift()) {
    const { steps, value } = node;
    if (isObject(value)) waiting.push(...membersOf(steps, value));
    if (isObject(value) || isList(value) || value === null || saysNothing(steps, value)) continue;
    const text = fieldText(fields, steps, []);
    if (text !== undefined) yield [text, value];
  }
}

function membersOf(steps: readonly string[], value: { readonly [key: string]: Json }): Node[] {
  if (steps.length >= deepest) return [];
  const members = Object.entries(value).slice(0, mostLooked);
  return members.map(([key, member]) => ({ steps: [...steps, key], value: member }));
}

function saysNothing(steps: readonly string[], value: Json): boolean {
  const name = steps.at(-1) ?? '';
  return ofTheLogger.test(name) || measured.test(name) || ofTheRun.test(stringForm(value));
}
