/** Checks whose operand holds placeholders of captures: read with sample values, bound to the captured ones before judging. */
import type { CheckKind } from '../check/check-kind.ts';
import { parseCheck } from '../check/parse-check.ts';
import { vpError } from '../errors/vp-error.ts';
import type { CapturedValues } from './capture.ts';
import { createReceiveCheck, isReceiveCheck } from './receive.ts';
import type { CheckTemplate, ScenarioCheck } from './scenario.ts';

const form = /\$\{\s*([A-Za-z_]\w*)\s*\}/g;
/** What stands before an operand. */
const operator = /(?:\s(?:matching|containing|equals)\s|[<>=])/;
/** A selector has signs of its own; one that is not closed before the placeholder would hold it. */
const selector = /^body\s+(?:(?:every|some)\s+)?css\s+(?:"[^"]*(?:"|$)|'[^']*(?:'|$))/;
/** A number, a pattern and a text. */
const sample = '200';

/** The parts of a text that has placeholders of `captures`; undefined where it has none. */
export function splitCheckText(text: string, captures: readonly string[]): CheckTemplate['parts'] | undefined {
  const parts: CheckTemplate['parts'][number][] = [];
  let from = 0;
  for (const match of text.matchAll(form)) {
    const name = match[1] ?? '';
    if (!captures.includes(name)) continue;
    parts.push({ text: text.slice(from, match.index) }, { placeholder: name });
    from = match.index + match[0].length;
  }
  return parts.length === 0 ? undefined : [...parts, { text: text.slice(from) }];
}

/** True where a captured value could only be an operand, never a field or a keyword. */
export function hasPlaceholdersInOperand(parts: CheckTemplate['parts']): boolean {
  const [first] = parts;
  return first !== undefined && 'text' in first && operator.test(first.text.replace(selector, ''));
}

export function fillSamples(parts: CheckTemplate['parts']): string {
  return parts.map((part) => ('text' in part ? part.text : sample)).join('');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);
}

/**
 * The check with captured values. In a pattern they match themselves. Throws SCENARIO_CAPTURE_UNUSABLE where the text is no
 * check of the same kind with them, as with a line break, and SCENARIO_VARIABLE_MISSING where a name has no value.
 */
export function bindCheck(entry: ScenarioCheck, captures: CapturedValues, kinds?: readonly CheckKind[]): ScenarioCheck {
  const { template, definition, check: own } = entry;
  if (isReceiveCheck(own) && own.inner)
    return { ...entry, check: createReceiveCheck(own.receive, bindCheck(own.inner, captures, kinds)) };
  if (!template) return entry;
  let text = '';
  for (const part of template.parts) {
    if ('text' in part) {
      text += part.text;
      continue;
    }
    const value = captures.get(part.placeholder)?.text;
    if (value === undefined) throw vpError('SCENARIO_VARIABLE_MISSING', { placeholder: `\${${part.placeholder}}` });
    const isPattern = /\smatching\s/.test(text);
    // In an expression a text would be the path of another value, and so could make any comparison true.
    if (definition.kind === 'relation' && !/^-?\d+(?:\.\d+)?$/.test(value))
      throw createUnusable(entry, part.placeholder);
    if (value === '' || value !== value.trim() || /[\r\n]/.test(value)) throw createUnusable(entry, part.placeholder);
    text += isPattern ? escapePattern(value) : value;
  }
  const check = parseCheck(text, () => {}, template.comparisons, kinds);
  const names = template.parts.flatMap((part) => ('placeholder' in part ? [part.placeholder] : []));
  if (check?.kind !== definition.kind) throw createUnusable(entry, names.join(', '));
  const query = definition.getQuery?.(entry.check);
  return { ...entry, check: query === undefined ? check : (definition.withQuery?.(check, query) ?? check) };
}

function createUnusable({ text, range }: ScenarioCheck, name: string) {
  return vpError('SCENARIO_CAPTURE_UNUSABLE', { name, check: text, line: range.start.line });
}
