/** Proposes checks. Each was read by the parser, and holds for what was observed. */
import { resolve } from '../../check/field-path.ts';
import { judgeCheck } from '../../check/kinds.ts';
import type { Json, Observed } from '../../check/observed.ts';
import { parseCheck } from '../../check/parse-check.ts';
import { parseField } from '../../check/parse-field.ts';
import { pointerTo } from './body-path.ts';
import type { UncheckedPart } from './proof.ts';
import { shapeOf } from './shape.ts';

/** The check for the value of `field`, or undefined when none can be written. */
export function suggestedCheck(field: string, value: Json, observed: Observed): string | undefined {
  const text = `body has ${field} ${shapeOf(value, field)}`;
  return holds(text, observed) ? text : undefined;
}

/** True when the parser takes `text` without a word, and the check holds. */
export function holds(text: string, observed: Observed): boolean {
  let isClean = text === text.trim() && isWritable(text);
  const check = parseCheck(text, () => {
    isClean = false;
  });
  return isClean && check !== undefined && judgeCheck(check, observed).passed;
}

/** A scenario's text can hold it as it stands. */
function isWritable(text: string): boolean {
  return text.isWellFormed() && !control.test(text);
}

const control = /\p{Cc}/u;

/** A key in brackets; JSON leaves some control characters as they are, a scenario's text must not. */
function quotedKey(step: string): string {
  const escaped = JSON.stringify(step).replaceAll(/\p{Cc}/gu, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `[${escaped}]`;
}

/** A step of a path that the parser reads without brackets. */
const plain = /^[^.[\]"'`\s<>=!~$\\][^.[\]"'`\s<>=!~\\]*$/;

/** The value at `steps` as a check names it; undefined when it cannot be named. `isList` says which steps are indices. */
export function fieldText(body: Json, steps: readonly string[], isIndex: readonly boolean[]): string | undefined {
  const pointer = steps.reduce(pointerTo, '');
  const short = steps.map((step, at) => stepText(step, isIndex[at] === true, at === 0)).join('');
  const long = steps.map((step, at) => (isIndex[at] ? `[${step}]` : quotedKey(step))).join('');
  return [short, long].find((text) => leadsTo(text, pointer, body));
}

function stepText(step: string, isIndex: boolean, isFirst: boolean): string {
  if (isIndex) return `[${step}]`;
  if (!plain.test(step) || !isWritable(step)) return quotedKey(step);
  return isFirst ? step : `.${step}`;
}

function leadsTo(text: string, pointer: string, body: Json): boolean {
  const path = parseField(text);
  return 'steps' in path && resolve(body, path)?.pointer === pointer;
}

/** A part with the first of `suggestions` that holds now; none where none does. */
export function partOf(
  pointer: string,
  value: string,
  suggestions: readonly string[],
  observed: Observed,
): UncheckedPart[] {
  const suggestion = suggestions.find((text) => holds(text, observed));
  return suggestion === undefined ? [] : [{ pointer, field: undefined, value, suggestion }];
}
