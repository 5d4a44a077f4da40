/** A JSON value → the values that could stand in its place and should be told from it. */
import { isList, isObject, stringForm } from '../../check/bounded.ts';
import { Numeral } from '../../check/numeral.ts';
import type { Json, JsonObject } from '../../check/observed.ts';

/** Another value. `words` go on behind its name: `is null`. */
export type OtherValue = {
  readonly words: string;
  /** True when it is about as large as the one it stands for. */
  readonly isWhole: boolean;
  /** Made when it is needed. */
  readonly make: () => Json;
};

/** Every other value that is tried, none of which reads as `value` does. */
export function otherValues(value: Json): readonly OtherValue[] {
  if (isList(value)) return listChanges(value);
  if (isObject(value)) return objectChanges(value);
  const original = stringForm(value);
  return scalarChanges(value).filter(({ make }) => stringForm(make()) !== original);
}

function small(words: string, value: Json): OtherValue {
  return { words, isWhole: false, make: () => value };
}

function whole(words: string, make: () => Json): OtherValue {
  return { words, isWhole: true, make };
}

function scalarChanges(value: Exclude<Json, readonly Json[] | JsonObject> | Json): readonly OtherValue[] {
  if (typeof value === 'number') return numberChanges(value);
  if (value instanceof Numeral) return numeralChanges(value);
  if (typeof value === 'string') return textChanges(value);
  if (typeof value === 'boolean') return [small(`is ${!value}`, !value), ...otherTypes('a boolean'), small('is 0', 0)];
  return [...otherTypes('null'), small('is 0', 0), small('is false', false), small('is an empty list', [])];
}

/** What every value can turn into; what it is already is left out by the caller. */
function otherTypes(type: string): OtherValue[] {
  return [small('is null', null), small(`is text instead of ${type}`, 'text'), small('is an empty text', '')];
}

function numberChanges(value: number): readonly OtherValue[] {
  const others: readonly (readonly [string, number])[] = [
    ['is one more', value + 1],
    ['is one less', value - 1],
    ['is 0', 0],
    ['has the other sign', -value],
    ['is ten times as much', value * 10],
    Number.isInteger(value) ? ['has a fraction', value + 0.5] : ['has no fraction', Math.trunc(value)],
  ];
  const seen = new Set([value + 0]);
  const told = others.flatMap(([words, other]) => {
    const next = other + 0; // -0 is 0 here: it is written the same.
    if (!Number.isFinite(next) || seen.has(next)) return [];
    seen.add(next);
    return [small(words, next)];
  });
  return [...otherTypes('a number'), small('is true instead of a number', true), ...told];
}

/** Numbers that JavaScript would round or rewrite are changed as texts. */
function numeralChanges({ text }: Numeral): readonly OtherValue[] {
  const mantissa = /^-?[0-9]+(?:\.[0-9]+)?/.exec(text)?.[0] ?? '';
  const last = (Number(mantissa.at(-1)) + 1) % 10;
  const neighbour = `${mantissa.slice(0, -1)}${last}${text.slice(mantissa.length)}`;
  const numbers = [small('is 0', 0), small('is 1', 1), small('is -1', -1)];
  return [...otherTypes('a number'), small('has another last digit', new Numeral(neighbour)), ...numbers];
}

function textChanges(value: string): readonly OtherValue[] {
  return [
    small('is null', null),
    small('is an empty text', ''),
    small('is a number instead of text', value === '7' ? 8 : 7),
    small('is another text', value === 'other' ? 'another' : 'other'),
    small('is a list instead of text', []),
    whole('has one character more at its end', () => `${value}x`),
    whole('has one character more in front', () => `x${value}`),
    ...otherEnds(value),
    ...otherCase(value),
  ];
}

/** Another first character, and another last one. */
function otherEnds(value: string): OtherValue[] {
  const first = neighbourOf(value.charCodeAt(0));
  const last = neighbourOf(value.charCodeAt(value.length - 1));
  return [
    ...(first === undefined ? [] : [whole('has another first character', () => first + value.slice(1))]),
    ...(last === undefined ? [] : [whole('has another last character', () => value.slice(0, -1) + last)]),
  ];
}

/** A character of the same kind; undefined for none, and for half of a pair. */
function neighbourOf(code: number): string | undefined {
  if (Number.isNaN(code) || (code >= 0xd7ff && code <= 0xdfff)) return undefined;
  const [nine, z, Z] = [57, 122, 90];
  return String.fromCharCode(code === nine || code === z || code === Z || code === 0xffff ? code - 1 : code + 1);
}

/** Longer texts are not rewritten for it. */
const longestRecased = 10_000;

function otherCase(value: string): OtherValue[] {
  if (value.length > longestRecased) return [];
  const upper = value.toUpperCase();
  if (upper !== value) return [whole('is in capitals', () => upper)];
  const lower = value.toLowerCase();
  return lower === value ? [] : [whole('is in small letters', () => lower)];
}

function listChanges(value: readonly Json[]): readonly OtherValue[] {
  const types = [small('is null', null), small('is text instead of a list', 'text')];
  const common = [...types, small('is an object instead of a list', {})];
  if (value.length === 0) return [...common, small('has an item', [null])];
  const last = value.at(-1) ?? null;
  return [
    ...common,
    small('is an empty list', []),
    ...(value.length > 1 ? [whole('has one item less', () => value.slice(0, -1))] : []),
    whole('has one item more', () => [...value, last]),
    ...(value[0] === null ? [] : [whole('begins with null', () => [null, ...value.slice(1)])]),
  ];
}

function objectChanges(value: JsonObject): readonly OtherValue[] {
  const types = [small('is null', null), small('is text instead of an object', 'text')];
  const common = [...types, small('is a list instead of an object', [])];
  const keys = Object.keys(value);
  const more = whole('has one field more', () => ({ ...value, [unusedKey(value)]: 1 }));
  if (keys.length === 0) return [...common, more];
  const fewer = whole('has one field less', () => without(value, keys.at(-1) ?? ''));
  return [...common, small('is an empty object', {}), ...(keys.length > 1 ? [fewer] : []), more];
}

function unusedKey(value: JsonObject): string {
  let key = 'added';
  while (Object.hasOwn(value, key)) key += '_';
  return key;
}

/** A copy without one key. */
export function without(value: JsonObject, key: string): JsonObject {
  const { [key]: _gone, ...rest } = value;
  return rest;
}
