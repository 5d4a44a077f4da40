/** What no check of a log looks at, though checks look at the log: errors, saga events, and fields of the run's lines. */
import type { Check } from '../check-kind.ts';
import type { LogCountCheck, LogHasCheck, LogLines } from '../forms/log-form.ts';
import { describeValue } from '../json/describe-value.ts';
import { type FieldPath, resolveField } from '../json/field-path.ts';
import { formatFieldPath } from '../json/format-field-path.ts';
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from '../json/json.ts';
import type { Observation, ObservedLine } from '../observation.ts';
import { concealScalar } from './mutate-value.ts';
import type { UncheckedCandidate } from './subject.ts';
import { anyTextTest, suggestTest } from './suggest-test.ts';

/** Rare fields are suggested first: a field of a single line says more about a run than one that every line has. */
const maxFields = 8;
const maxDepth = 4;
/** In all lines together. */
const maxVisitedValues = 2000;

/** What loggers write themselves, or what differs in every run. */
const loggerField =
  /^(time|timestamp|@timestamp|ts|date|pid|hostname|host|v|version|level|severity|logger|thread|ms|took)$/i;
const measuredField = /(duration|elapsed|latency|_?ms|time|seconds|bytes|size|port)$/i;
const runIdValue = /^tr-\d{8}T\d{9}-/;

function isCountCheck(check: Check): check is LogCountCheck {
  return check.kind === 'log_count';
}

function isFieldCheck(check: Check): check is LogHasCheck {
  return check.kind === 'log_has';
}

/** The lines, where some check looks at the log. */
function findCheckedLog(checks: readonly Check[], { log }: Observation): LogLines | undefined {
  return log?.kind === 'lines' && checks.some((check) => isCountCheck(check) || isFieldCheck(check)) ? log : undefined;
}

export function findUncheckedCounts(checks: readonly Check[], observation: Observation): UncheckedCandidate[] {
  const log = findCheckedLog(checks, observation);
  if (!log) return [];
  const counted = new Set(checks.filter(isCountCheck).map(({ subject }) => subject));
  const { errorCount, sagaEventCount } = log;
  const errors = { pointer: 'log errors', value: '0', suggestions: ['log errors=0'] };
  const sagaEvents = {
    pointer: 'log saga_events',
    value: String(sagaEventCount),
    suggestions: [`log saga_events>=${sagaEventCount}`],
  };
  return [
    ...(counted.has('errors') || errorCount > 0 ? [] : [errors]),
    ...(counted.has('saga_events') || sagaEventCount === 0 ? [] : [sagaEvents]),
  ];
}

/** `passes`: whether a check is well formed and holds for the observation. */
export function findUncheckedFields(
  checks: readonly Check[],
  observation: Observation,
  passes: (text: string) => boolean,
): UncheckedCandidate[] {
  const log = findCheckedLog(checks, observation);
  if (!log) return [];
  const candidates: UncheckedCandidate[] = [];
  for (const { text, value } of findFields(log, checks.filter(isFieldCheck), observation)) {
    const test = suggestTest(value, text);
    const suggestion = `log has ${text} ${test}`;
    // A check that any text satisfies would say next to nothing.
    if (test === anyTextTest || !passes(suggestion)) continue;
    candidates.push({ pointer: `log ${text}`, value: describeValue(value), suggestions: [suggestion] });
    if (candidates.length === maxFields) break;
  }
  return candidates;
}

type LogField = { readonly text: string; readonly value: Json; lineCount: number };

function findFields(log: LogLines, checks: readonly LogHasCheck[], observation: Observation): LogField[] {
  const fields = new Map<string, LogField>();
  let remaining = maxVisitedValues;
  for (const line of log.lines) {
    for (const [text, value] of walkFields(line, () => remaining-- > 0)) {
      const known = fields.get(text);
      if (known) known.lineCount += 1;
      else if (!checks.some(({ field }) => namesField(field, line, text))) {
        fields.set(text, { text, value: concealScalar(value, observation), lineCount: 1 });
      }
    }
  }
  return [...fields.values()].sort((a, b) => a.lineCount - b.lineCount);
}

function namesField(field: FieldPath, { fields }: ObservedLine, text: string): boolean {
  return fields !== undefined && field.text === text && resolveField(fields, field) !== undefined;
}

type Node = { readonly steps: readonly string[]; readonly value: Json };

/** Texts, numbers and booleans with the field that names each, except those that say nothing about what was done. */
function* walkFields({ fields }: ObservedLine, mayVisit: () => boolean): Generator<readonly [string, Json]> {
  if (!fields) return;
  const queue: Node[] = [{ steps: [], value: fields }];
  for (let node = queue.shift(); node && mayVisit(); node = queue.shift()) {
    const { steps, value } = node;
    if (isObjectValue(value)) queue.push(...getMembers(steps, value));
    if (isObjectValue(value) || isList(value) || value === null || isUninformative(steps, value)) continue;
    const text = formatFieldPath(fields, steps, []);
    if (text !== undefined) yield [text, value];
  }
}

function getMembers(steps: readonly string[], value: JsonObject): Node[] {
  if (steps.length >= maxDepth) return [];
  const members = Object.entries(value).slice(0, maxVisitedValues);
  return members.map(([key, member]) => ({ steps: [...steps, key], value: member }));
}

function isUninformative(steps: readonly string[], value: Json): boolean {
  const name = steps.at(-1) ?? '';
  return loggerField.test(name) || measuredField.test(name) || runIdValue.test(toStringForm(value));
}
