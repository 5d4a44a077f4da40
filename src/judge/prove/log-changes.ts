/** Checks of the log, with other lines than the run's. */
import type { FieldPath } from '../../check/field-path.ts';
import { resolve } from '../../check/field-path.ts';
import { looksAt } from '../../check/kinds.ts';
import type { Json, Observed, ObservedLine, ObservedLog } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import { replacedAt, stepsOf } from './body-path.ts';
import { asPresence, type Change, type Group } from './change.ts';
import { seenAs } from './seen.ts';
import { otherValues } from './value-changes.ts';

type Lines = Extract<ObservedLog, { kind: 'lines' }>;

/** A group of those that count lines, and one for each field that is named. */
export function logGroups(checks: readonly JudgedCheck[], observed: Observed): readonly Group[] {
  const { log } = observed;
  if (log?.kind !== 'lines') return [];
  const all = checks.flatMap(({ check }, index) =>
    looksAt(check) === 'log' ? [{ index, field: fieldIn(check) }] : [],
  );
  const fields = new Map(all.flatMap(({ field }) => (field ? [[field.text, field] as const] : [])));
  const others = (owners: readonly number[]): Group['others'] =>
    all.flatMap(({ index }) => (owners.includes(index) ? [] : [{ index, size: 0 }]));
  const groups = [undefined, ...fields.values()].map((field) => {
    const owners = all.filter((entry) => entry.field?.text === field?.text).map(({ index }) => index);
    const counts = countChanges(log);
    const changes = field ? [...fieldChanges(field, log, observed), ...counts.map(asPresence)] : counts;
    return { owners, changes, others: others(owners) };
  });
  return groups.filter(({ owners }) => owners.length > 0);
}

function fieldIn(check: JudgedCheck['check']): FieldPath | undefined {
  return 'field' in check ? check.field : undefined;
}

const line: ObservedLine = { text: 'changed', fields: undefined, level: undefined, isError: false, isSagaEvent: false };

/** Other numbers of lines, of errors and of saga events. */
function countChanges(log: Lines): Change[] {
  const { lines, errorCount, sagaEventCount } = log;
  const none = { lines: [], lineCount: 0, errorCount: 0, sagaEventCount: 0 };
  const last = lines.at(-1);
  const changes = [
    logChange('the log has no line of the run', log, none),
    logChange('the log has one error more', log, added({ ...line, isError: true }, log)),
    logChange('the log has one saga event more', log, added({ ...line, isSagaEvent: true }, log)),
    logChange('the log has one line more', log, added(line, log)),
  ];
  if (last && lines.length > 1) changes.push(logChange('the log lacks its last line', log, withoutLast(last, log)));
  if (errorCount > 0) {
    const kept = lines.map((each) => ({ ...each, isError: false }));
    changes.push(logChange('the log has no error', log, { lines: kept, errorCount: 0 }));
  }
  if (sagaEventCount > 0) {
    const kept = lines.map((each) => ({ ...each, isSagaEvent: false }));
    changes.push(logChange('the log has no saga event', log, { lines: kept, sagaEventCount: 0 }));
  }
  return changes;
}

function added(one: ObservedLine, { lines, lineCount, errorCount, sagaEventCount }: Lines): Partial<Lines> {
  return {
    lines: [...lines, one],
    lineCount: lineCount + 1,
    errorCount: errorCount + Number(one.isError),
    sagaEventCount: sagaEventCount + Number(one.isSagaEvent),
  };
}

function withoutLast(last: ObservedLine, { lines, lineCount, errorCount, sagaEventCount }: Lines): Partial<Lines> {
  return {
    lines: lines.slice(0, -1),
    lineCount: lineCount - 1,
    errorCount: errorCount - Number(last.isError),
    sagaEventCount: sagaEventCount - Number(last.isSagaEvent),
  };
}

/** The field in every line that has it: one line that passes is enough for a check. */
function fieldChanges(field: FieldPath, log: Lines, observed: Observed): Change[] {
  const found = log.lines.map(({ fields }) => (fields ? resolve(fields, field) : undefined));
  const first = found.find((one) => one !== undefined);
  if (!first) return [];
  const put = (value: Json | undefined): Partial<Lines> => ({
    lines: log.lines.map((each, at) => {
      const place = found[at];
      return place ? { ...each, fields: fieldsWith(each, stepsOf(place.pointer), value) } : each;
    }),
  });
  const cost = log.lines.length * 200;
  const name = `\`${field.text}\` of the run’s lines`;
  const others = otherValues(seenAs(first.value, observed)).map(({ words, make }) => ({
    ...logChange(`${name} ${words}`, log, () => put(make())),
    cost,
  }));
  return [{ ...logChange(`${name} is gone`, log, () => put(undefined), 'presence'), cost }, ...others];
}

function fieldsWith(
  { fields }: ObservedLine,
  steps: readonly string[],
  value: Json | undefined,
): ObservedLine['fields'] {
  const [step, ...rest] = steps;
  if (!fields || step === undefined) return fields;
  const { [step]: before = null, ...others } = fields;
  const next = replacedAt(before, rest, value);
  return next === undefined ? others : { ...others, [step]: next };
}

function logChange(
  words: string,
  log: Lines,
  changed: Partial<Lines> | (() => Partial<Lines>),
  touches: Change['touches'] = 'content',
): Change {
  const apply: Change['apply'] = (observed) => {
    const parts = typeof changed === 'function' ? changed() : changed;
    return { ...observed, log: { ...log, ...parts } };
  };
  return { words, touches, cost: 100, size: 10 * log.lines.length, apply };
}
