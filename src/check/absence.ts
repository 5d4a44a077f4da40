/** Says why a path leads nowhere, and what there is instead. Only for failing checks, so it may take its time. */
import { bounded, described, isList, isObject } from './bounded.ts';
import { type FieldPath, read, type Step } from './field-path.ts';
import type { Json, JsonObject } from './observed.ts';

/** How far the deepest reading got: `steps` of the path lead to `value`. */
type Reached = { readonly value: Json; readonly steps: number; readonly trail: string };

/** See `Observed.conceal`. */
type Conceal = ((text: string) => string) | undefined;

/** Field names told at most. */
const namesTold = 12;

function follow(step: Step, value: Json): readonly { next: Json; steps: number; name: string }[] {
  const readings =
    step.kind === 'name'
      ? step.readings
      : [{ key: step.kind === 'key' ? step.key : String(step.index), pointer: '', steps: 1 }];
  const fits = (isList(value) && step.kind !== 'key') || (isObject(value) && step.kind !== 'index');
  if (!fits) return [];
  return readings.flatMap((reading) => {
    const next = read(value, reading);
    return next === undefined ? [] : [{ next, steps: reading.steps, name: nameOf(step, reading.key) }];
  });
}

function nameOf(step: Step, key: string): string {
  if (step.kind === 'name') return key;
  return step.kind === 'key' ? `[${JSON.stringify(key)}]` : `[${key}]`;
}

function joined(trail: string, name: string): string {
  return trail === '' || name.startsWith('[') ? trail + name : `${trail}.${name}`;
}

function deepest(path: FieldPath, reached: Reached): Reached {
  const step = path.steps[reached.steps];
  if (step === undefined) return reached;
  let best = reached;
  for (const { next, steps, name } of follow(step, reached.value)) {
    const got = deepest(path, { value: next, steps: reached.steps + steps, trail: joined(reached.trail, name) });
    if (got.steps > best.steps) best = got;
  }
  return best;
}

function namesIn(value: JsonObject, conceal: Conceal): string {
  const names = Object.keys(value);
  if (names.length === 0) return 'there are none';
  const told = names.slice(0, namesTold).join(', ');
  const more = names.length > namesTold ? `, and ${names.length - namesTold} more` : '';
  return `there are: ${bounded(conceal?.(told) ?? told)}${more}`;
}

function missingName(step: Step): string {
  if (step.kind === 'name') return step.readings.at(-1)?.key ?? '';
  return step.kind === 'key' ? step.key : `[${step.index}]`;
}

/** Why nothing was found at `path`, such as: no field `totalPages`; there are: data, count. */
export function explainAbsence(body: Json, path: FieldPath, conceal?: Conceal): string {
  const { value, steps, trail } = deepest(path, { value: body, steps: 0, trail: '' });
  const step = path.steps[steps];
  const missing = step === undefined ? '' : missingName(step);
  const holder = trail === '' ? 'the body' : `\`${trail}\``;
  if (isList(value)) {
    const example = `${trail}[0]`;
    if (step?.kind === 'index') return `no element ${missing}: ${holder} is ${described(value, conceal)}`;
    return `no field \`${missing}\`: ${holder} is ${described(value, conceal)}; name an element, such as \`${example}\``;
  }
  if (isObject(value) && step?.kind !== 'index') {
    return `no field \`${missing}\`${trail === '' ? '' : ` in ${holder}`}; ${namesIn(value, conceal)}`;
  }
  const what = step?.kind === 'index' ? `element ${missing}` : `field \`${missing}\``;
  return `no ${what}: ${holder} is ${described(value, conceal)}`;
}
