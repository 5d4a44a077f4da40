/** The run's log lines, or a field of them, as the subject of checks, and the other logs that it is tried with. */
import type { LogLines } from '../forms/log-form.ts';
import { type FieldPath, resolveField } from '../json/field-path.ts';
import type { Json } from '../json/json.ts';
import { parsePointer, replaceValueAt } from '../json/json-pointer.ts';
import type { Observation, ObservedLine } from '../observation.ts';
import { concealScalar, mutateValue } from './mutate-value.ts';
import { type Mutation, type Subject, toPresenceMutation } from './subject.ts';

/** Without `field`: the number of lines, errors and saga events. */
export function createLogSubject({ log }: Observation, field?: FieldPath): Subject | undefined {
  if (log?.kind !== 'lines') return undefined;
  if (!field) return { id: 'log', group: 'log', mutations: () => mutateCounts(log) };
  return {
    id: `log/${field.text}`,
    group: 'log',
    mutations: ({ observation }) => [
      ...mutateField(field, log, observation),
      ...mutateCounts(log).map(toPresenceMutation),
    ],
  };
}

const addedLine: ObservedLine = {
  text: 'changed',
  fields: undefined,
  level: undefined,
  isError: false,
  isSagaEvent: false,
};

function mutateCounts(log: LogLines): Mutation[] {
  const { lines, errorCount, sagaEventCount } = log;
  const none = { lines: [], lineCount: 0, errorCount: 0, sagaEventCount: 0 };
  const last = lines.at(-1);
  const mutations = [
    createMutation('the log has no line of the run', log, none),
    createMutation('the log has one error more', log, withLine({ ...addedLine, isError: true }, log)),
    createMutation('the log has one saga event more', log, withLine({ ...addedLine, isSagaEvent: true }, log)),
    createMutation('the log has one line more', log, withLine(addedLine, log)),
  ];
  if (last && lines.length > 1) {
    mutations.push(createMutation('the log lacks its last line', log, withoutLastLine(last, log)));
  }
  if (errorCount > 0) {
    const cleared = lines.map((line) => ({ ...line, isError: false }));
    mutations.push(createMutation('the log has no error', log, { lines: cleared, errorCount: 0 }));
  }
  if (sagaEventCount > 0) {
    const cleared = lines.map((line) => ({ ...line, isSagaEvent: false }));
    mutations.push(createMutation('the log has no saga event', log, { lines: cleared, sagaEventCount: 0 }));
  }
  return mutations;
}

function withLine(line: ObservedLine, { lines, lineCount, errorCount, sagaEventCount }: LogLines): Partial<LogLines> {
  return {
    lines: [...lines, line],
    lineCount: lineCount + 1,
    errorCount: errorCount + Number(line.isError),
    sagaEventCount: sagaEventCount + Number(line.isSagaEvent),
  };
}

function withoutLastLine(
  last: ObservedLine,
  { lines, lineCount, errorCount, sagaEventCount }: LogLines,
): Partial<LogLines> {
  return {
    lines: lines.slice(0, -1),
    lineCount: lineCount - 1,
    errorCount: errorCount - Number(last.isError),
    sagaEventCount: sagaEventCount - Number(last.isSagaEvent),
  };
}

/** Changes the field in every line that has it: a single line that passes satisfies a check. */
function mutateField(field: FieldPath, log: LogLines, observation: Observation): Mutation[] {
  const matches = log.lines.map(({ fields }) => (fields ? resolveField(fields, field) : undefined));
  const first = matches.find((match) => match !== undefined);
  if (!first) return [];
  const withValue = (value: Json | undefined): Partial<LogLines> => ({
    lines: log.lines.map((line, index) => {
      const match = matches[index];
      return match ? { ...line, fields: replaceField(line, parsePointer(match.pointer), value) } : line;
    }),
  });
  const cost = log.lines.length * 200;
  const name = `\`${field.text}\` of the run’s lines`;
  const others = mutateValue(concealScalar(first.value, observation)).map(({ description, create }) => ({
    ...createMutation(`${name} ${description}`, log, () => withValue(create())),
    cost,
  }));
  return [{ ...createMutation(`${name} is gone`, log, () => withValue(undefined), 'presence'), cost }, ...others];
}

function replaceField(
  { fields }: ObservedLine,
  steps: readonly string[],
  value: Json | undefined,
): ObservedLine['fields'] {
  const [step, ...inner] = steps;
  if (!fields || step === undefined) return fields;
  const { [step]: previous = null, ...others } = fields;
  const next = replaceValueAt(previous, inner, value);
  return next === undefined ? others : { ...others, [step]: next };
}

function createMutation(
  description: string,
  log: LogLines,
  changes: Partial<LogLines> | (() => Partial<LogLines>),
  affects: Mutation['affects'] = 'content',
): Mutation {
  const apply: Mutation['apply'] = (observation) => {
    return { ...observation, log: { ...log, ...(typeof changes === 'function' ? changes() : changes) } };
  };
  return { description, affects, cost: 100, size: 10 * log.lines.length, apply };
}
