/**
 * Whether a number of the body follows from other values beside it, such as a count of items or of pages. A pattern for such a
 * field passes for every wrong number, so none is proposed. Names decide with the arithmetic: small numbers are equal by chance.
 */
import { isList, isObject, type Json, type JsonObject } from '../../check/json/json.ts';

type Operand = readonly [name: string, value: number];

const countName = /count|total|size|length|number|num/i;
const pagesName = /pages|pagecount/i;
const sumName = /total|sum|amount/i;

function listNumbers(around: JsonObject, except: string): Operand[] {
  return Object.entries(around).flatMap(([name, value]): Operand[] =>
    name !== except && typeof value === 'number' && Number.isFinite(value) ? [[name, value]] : [],
  );
}

function findPair(
  operands: readonly Operand[],
  holds: (a: number, b: number) => boolean,
): readonly [string, string] | undefined {
  for (const [a, x] of operands) for (const [b, y] of operands) if (a !== b && holds(x, y)) return [a, b];
  return undefined;
}

/** Fields beyond this number are not compared in pairs. */
const maxOperands = 20;

/** The relation in words, with names of fields and no values; undefined where none is seen. */
export function describeRelation(around: Json | undefined, name: string, value: Json): string | undefined {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) return undefined;
  if (around === undefined || !isObject(around)) return undefined;
  const list = Object.entries(around).find(([, other]) => isList(other) && other.length === value)?.[0];
  if (list !== undefined && countName.test(name)) return `the number of items of ${list}`;
  const operands = listNumbers(around, name).slice(0, maxOperands);
  if (pagesName.test(name)) {
    const pair = findPair(operands, (items, size) => items >= 1 && size >= 2 && Math.ceil(items / size) === value);
    return pair && `${pair[0]} / ${pair[1]}, rounded up`;
  }
  if (!sumName.test(name)) return undefined;
  const sum = findPair(operands, (a, b) => a >= 1 && b >= 1 && a + b === value);
  if (sum) return `${sum[0]} + ${sum[1]}`;
  const product = findPair(operands, (a, b) => a >= 2 && b >= 2 && a * b === value);
  return product && `${product[0]} × ${product[1]}`;
}
