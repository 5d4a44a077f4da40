/** A JSON value → the values that could stand in its place and that a check should distinguish from it. */
import { isList, isObjectValue, type Json, type JsonObject, Numeral, toStringForm } from '../json/json.ts';
import { omitKey } from '../json/json-pointer.ts';
import type { Observation } from '../observation.ts';

export type ValueMutation = {
  /** Continues the name of the value: `is null`. */
  readonly description: string;
  /** True when it is about as large as the original. */
  readonly isLarge: boolean;
  readonly create: () => Json;
};

/** None of the results has the string form of `value`. */
export function mutateValue(value: Json): readonly ValueMutation[] {
  if (isList(value)) return mutateList(value);
  if (isObjectValue(value)) return mutateObject(value);
  const original = toStringForm(value);
  return mutateScalar(value).filter(({ create }) => toStringForm(create()) !== original);
}

function constant(description: string, value: Json): ValueMutation {
  return { description, isLarge: false, create: () => value };
}

function derived(description: string, create: () => Json): ValueMutation {
  return { description, isLarge: true, create };
}

function mutateScalar(value: Json): readonly ValueMutation[] {
  if (typeof value === 'number') return mutateNumber(value);
  if (value instanceof Numeral) return mutateNumeral(value);
  if (typeof value === 'string') return mutateText(value);
  if (typeof value === 'boolean')
    return [constant(`is ${!value}`, !value), ...mutateType('a boolean'), constant('is 0', 0)];
  return [...mutateType('null'), constant('is 0', 0), constant('is false', false), constant('is an empty list', [])];
}

/** The caller filters out those that equal the original. */
function mutateType(type: string): ValueMutation[] {
  return [constant('is null', null), constant(`is text instead of ${type}`, 'text'), constant('is an empty text', '')];
}

function mutateNumber(value: number): readonly ValueMutation[] {
  const others: readonly (readonly [string, number])[] = [
    ['is one more', value + 1],
    ['is one less', value - 1],
    ['is 0', 0],
    ['has the other sign', -value],
    ['is ten times as much', value * 10],
    Number.isInteger(value) ? ['has a fraction', value + 0.5] : ['has no fraction', Math.trunc(value)],
  ];
  const seenNumbers = new Set([value + 0]);
  const mutations = others.flatMap(([description, other]) => {
    const next = other + 0; // -0 becomes 0: both are written the same.
    if (!Number.isFinite(next) || seenNumbers.has(next)) return [];
    seenNumbers.add(next);
    return [constant(description, next)];
  });
  return [...mutateType('a number'), constant('is true instead of a number', true), ...mutations];
}

/** Numbers that JavaScript would round or rewrite are changed as texts. */
function mutateNumeral({ text }: Numeral): readonly ValueMutation[] {
  const mantissa = /^-?[0-9]+(?:\.[0-9]+)?/.exec(text)?.[0] ?? '';
  const last = (Number(mantissa.at(-1)) + 1) % 10;
  const neighbour = `${mantissa.slice(0, -1)}${last}${text.slice(mantissa.length)}`;
  const numbers = [constant('is 0', 0), constant('is 1', 1), constant('is -1', -1)];
  return [...mutateType('a number'), constant('has another last digit', new Numeral(neighbour)), ...numbers];
}

function mutateText(value: string): readonly ValueMutation[] {
  return [
    constant('is null', null),
    constant('is an empty text', ''),
    constant('is a number instead of text', value === '7' ? 8 : 7),
    constant('is another text', value === 'other' ? 'another' : 'other'),
    constant('is a list instead of text', []),
    derived('has one character more at its end', () => `${value}x`),
    derived('has one character more in front', () => `x${value}`),
    ...mutateEnds(value),
    ...mutateCase(value),
  ];
}

function mutateEnds(value: string): ValueMutation[] {
  const first = getNeighbour(value.charCodeAt(0));
  const last = getNeighbour(value.charCodeAt(value.length - 1));
  return [
    ...(first === undefined ? [] : [derived('has another first character', () => first + value.slice(1))]),
    ...(last === undefined ? [] : [derived('has another last character', () => value.slice(0, -1) + last)]),
  ];
}

/** A character of the same kind; undefined where there is none, and for half of a surrogate pair. */
function getNeighbour(code: number): string | undefined {
  if (Number.isNaN(code) || (code >= 0xd7ff && code <= 0xdfff)) return undefined;
  const [nine, z, Z] = [57, 122, 90];
  return String.fromCharCode(code === nine || code === z || code === Z || code === 0xffff ? code - 1 : code + 1);
}

/** Converting longer texts would cost too much. */
const maxRecasedLength = 10_000;

function mutateCase(value: string): ValueMutation[] {
  if (value.length > maxRecasedLength) return [];
  const upper = value.toUpperCase();
  if (upper !== value) return [derived('is in capitals', () => upper)];
  const lower = value.toLowerCase();
  return lower === value ? [] : [derived('is in small letters', () => lower)];
}

function mutateList(value: readonly Json[]): readonly ValueMutation[] {
  const types = [constant('is null', null), constant('is text instead of a list', 'text')];
  const common = [...types, constant('is an object instead of a list', {})];
  if (value.length === 0) return [...common, constant('has an item', [null])];
  const last = value.at(-1) ?? null;
  return [
    ...common,
    constant('is an empty list', []),
    ...(value.length > 1 ? [derived('has one item less', () => value.slice(0, -1))] : []),
    derived('has one item more', () => [...value, last]),
    ...(value[0] === null ? [] : [derived('begins with null', () => [null, ...value.slice(1)])]),
  ];
}

function mutateObject(value: JsonObject): readonly ValueMutation[] {
  const types = [constant('is null', null), constant('is text instead of an object', 'text')];
  const common = [...types, constant('is a list instead of an object', [])];
  const keys = Object.keys(value);
  const more = derived('has one field more', () => ({ ...value, [unusedKey(value)]: 1 }));
  if (keys.length === 0) return [...common, more];
  const fewer = derived('has one field less', () => omitKey(value, keys.at(-1) ?? ''));
  return [...common, constant('is an empty object', {}), ...(keys.length > 1 ? [fewer] : []), more];
}

function unusedKey(value: JsonObject): string {
  let key = 'added';
  while (Object.hasOwn(value, key)) key += '_';
  return key;
}

/**
 * A scalar as checks see it: without the target's secrets. Mutations start from that, because a secret with another last letter
 * would not be concealed any more, and a pattern could guess it letter by letter.
 */
export function concealScalar(value: Json, { conceal }: Pick<Observation, 'conceal'>): Json {
  if (!conceal || isList(value) || isObjectValue(value)) return value;
  const text = toStringForm(value);
  const concealed = conceal(text);
  return concealed === text ? value : concealed;
}
