/**
 * Whether a number of the body follows from other values beside it, such as a count of items or of pages. A pattern for such a
 * field passes for every wrong number, so the relation itself is proposed, also where it does not hold: that is what a planted or
 * real fault looks like. Names decide with the arithmetic: small numbers are equal by chance.
 */
import { isList, isObjectValue, type Json, type JsonObject } from '../../check/json/json.ts';

type Operand = readonly [name: string, value: number];

/** `format` writes the other side of `body <field> equals …` with names of fields made to paths. `holds`: whether it does now. */
export type FieldRelation = {
  readonly words: string;
  readonly holds: boolean;
  format(toPath: (name: string) => string): string;
};

const countName = /count|total|size|length|number|num/i;
const pagesName = /pages|pagecount/i;
const perPageName = /^(?:per_?page|page_?size|limit|page_?limit|size)$/i;
const itemsName = /^(?:count|total|total_?(?:count|items|results|elements)|item_?count)$/i;
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

/** By its name the field is a number of pages, and the fields beside it say of what. */
function relatePages(value: number, operands: readonly Operand[]): FieldRelation | undefined {
  const items = operands.find(([name]) => itemsName.test(name));
  const size = operands.find(([name, number]) => perPageName.test(name) && number >= 1);
  if (items && size && items !== size) return toPages(items[0], size[0], Math.ceil(items[1] / size[1]) === value);
  const pair = findPair(
    operands,
    (count, perPage) => count >= 1 && perPage >= 2 && Math.ceil(count / perPage) === value,
  );
  return pair && toPages(pair[0], pair[1], true);
}

function toPages(items: string, size: string, holds: boolean): FieldRelation {
  return {
    words: `${items} / ${size}, rounded up`,
    holds,
    format: (toPath) => `ceil(${toPath(items)} / ${toPath(size)})`,
  };
}

function toOperation([a, b]: readonly [string, string], operator: '+' | '*', sign: string): FieldRelation {
  return { words: `${a} ${sign} ${b}`, holds: true, format: (toPath) => `${toPath(a)} ${operator} ${toPath(b)}` };
}

/** The relation, with names of fields and no values; undefined where none is seen. */
export function findRelation(around: Json | undefined, name: string, value: Json): FieldRelation | undefined {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) return undefined;
  if (around === undefined || !isObjectValue(around)) return undefined;
  const operands = listNumbers(around, name).slice(0, maxOperands);
  if (pagesName.test(name)) return relatePages(value, operands);
  if (value < 1) return undefined;
  const list = Object.entries(around).find(([, other]) => isList(other) && other.length === value)?.[0];
  if (list !== undefined && countName.test(name) && !perPageName.test(name)) {
    return { words: `the number of items of ${list}`, holds: true, format: (toPath) => `count(${toPath(list)})` };
  }
  if (!sumName.test(name)) return undefined;
  const sum = findPair(operands, (a, b) => a >= 1 && b >= 1 && a + b === value);
  if (sum) return toOperation(sum, '+', '+');
  const product = findPair(operands, (a, b) => a >= 2 && b >= 2 && a * b === value);
  return product && toOperation(product, '*', '×');
}
