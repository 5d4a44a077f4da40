/** The steps to a value → the field as a check writes it. */
import { resolveField } from './field-path.ts';
import type { Json } from './json.ts';
import { appendToPointer } from './json-pointer.ts';
import { parseField } from './parse-field-path.ts';

const control = /\p{Cc}/u;

/** A step that the parser reads without brackets. */
const plainStep = /^[^.[\]"'`\s<>=!~$\\][^.[\]"'`\s<>=!~\\]*$/;

/** True when the text can stand in a scenario unchanged. */
export function isWritableInScenario(text: string): boolean {
  return text.isWellFormed() && !control.test(text);
}

/** A key in brackets. JSON leaves some control characters unescaped, which a scenario's text must not contain. */
function formatKey(step: string): string {
  const escaped = JSON.stringify(step).replaceAll(/\p{Cc}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `[${escaped}]`;
}

function formatStep(step: string, isIndex: boolean, isFirst: boolean): string {
  if (isIndex) return `[${step}]`;
  if (!plainStep.test(step) || !isWritableInScenario(step)) return formatKey(step);
  return isFirst ? step : `.${step}`;
}

function leadsTo(text: string, pointer: string, body: Json): boolean {
  const path = parseField(text);
  return 'steps' in path && resolveField(body, path)?.pointer === pointer;
}

/** Undefined when a check cannot name the value. `isIndex` says which steps are indices of lists. */
export function formatFieldPath(body: Json, steps: readonly string[], isIndex: readonly boolean[]): string | undefined {
  const pointer = steps.reduce(appendToPointer, '');
  const short = steps.map((step, index) => formatStep(step, isIndex[index] === true, index === 0)).join('');
  const quoted = steps.map((step, index) => (isIndex[index] ? `[${step}]` : formatKey(step))).join('');
  return [short, quoted].find((text) => leadsTo(text, pointer, body));
}
