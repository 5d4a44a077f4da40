/** Explains why a path leads nowhere, and what is there instead. Only for failing checks, so it may be slow. */
import { abbreviate, describeValue } from './describe-value.ts';
import { type FieldPath, type PathStep, readKeyCandidate } from './field-path.ts';
import { isList, isObjectValue, type Json, type JsonObject } from './json.ts';

/** The reading of the path that leads deepest: `steps` of the path lead to `value`. */
type DeepestMatch = { readonly value: Json; readonly steps: number; readonly trail: string };

/** Removes secrets, as `Observation.conceal`. */
type ConcealText = ((text: string) => string) | undefined;

const maxNames = 12;

function followStep(step: PathStep, value: Json): readonly { next: Json; steps: number; name: string }[] {
  const readings =
    step.kind === 'name'
      ? step.candidates
      : [{ key: step.kind === 'key' ? step.key : String(step.index), pointer: '', steps: 1 }];
  const canFollow = (isList(value) && step.kind !== 'key') || (isObjectValue(value) && step.kind !== 'index');
  if (!canFollow) return [];
  return readings.flatMap((reading) => {
    const next = readKeyCandidate(value, reading);
    return next === undefined ? [] : [{ next, steps: reading.steps, name: formatStep(step, reading.key) }];
  });
}

function formatStep(step: PathStep, key: string): string {
  if (step.kind === 'name') return key;
  return step.kind === 'key' ? `[${JSON.stringify(key)}]` : `[${key}]`;
}

function joinTrail(trail: string, name: string): string {
  return trail === '' || name.startsWith('[') ? trail + name : `${trail}.${name}`;
}

function findDeepestMatch(path: FieldPath, match: DeepestMatch): DeepestMatch {
  const step = path.steps[match.steps];
  if (step === undefined) return match;
  let best = match;
  for (const { next, steps, name } of followStep(step, match.value)) {
    const candidate = findDeepestMatch(path, {
      value: next,
      steps: match.steps + steps,
      trail: joinTrail(match.trail, name),
    });
    if (candidate.steps > best.steps) best = candidate;
  }
  return best;
}

function listNames(value: JsonObject, conceal: ConcealText): string {
  const names = Object.keys(value);
  if (names.length === 0) return 'there are none';
  const listed = names.slice(0, maxNames).join(', ');
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : '';
  return `there are: ${abbreviate(conceal?.(listed) ?? listed)}${more}`;
}

function getMissingName(step: PathStep): string {
  if (step.kind === 'name') return step.candidates.at(-1)?.key ?? '';
  return step.kind === 'key' ? step.key : `[${step.index}]`;
}

/** Such as: no field `totalPages`; there are: data, count. */
export function explainAbsence(body: Json, path: FieldPath, conceal?: ConcealText): string {
  const { value, steps, trail } = findDeepestMatch(path, { value: body, steps: 0, trail: '' });
  const step = path.steps[steps];
  const missing = step === undefined ? '' : getMissingName(step);
  const holder = trail === '' ? 'the body' : `\`${trail}\``;
  if (isList(value)) {
    const example = `${trail}[0]`;
    if (step?.kind === 'index') return `no element ${missing}: ${holder} is ${describeValue(value, conceal)}`;
    return `no field \`${missing}\`: ${holder} is ${describeValue(value, conceal)}; name an element, such as \`${example}\`, or all of them with \`body every\``;
  }
  if (isObjectValue(value) && step?.kind !== 'index') {
    return `no field \`${missing}\`${trail === '' ? '' : ` in ${holder}`}; ${listNames(value, conceal)}`;
  }
  const subject = step?.kind === 'index' ? `element ${missing}` : `field \`${missing}\``;
  return `no ${subject}: ${holder} is ${describeValue(value, conceal)}`;
}
