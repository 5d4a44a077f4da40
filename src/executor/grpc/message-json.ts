/** Messages as JSON, as ProtoJSON has them, and with every field that has a value in the target too. */

import protobuf, { type Field, type Type } from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { isObject } from '../../json/json-object.ts';
import type { DecodingBudget } from './decoding-budget.ts';

/** How many types of google.protobuf.Any that the schema does not have are passed over. */
const maxUnknownTypes = 100;
/** Outside of texts: integers that a number of JavaScript does not hold. ProtoJSON takes each number as a text too. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Serialized. Throws what does not fit the type. */
export function encodeMessage(type: Type, json: string): Uint8Array {
  const text = json.replaceAll(stringOrNumber, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
  return type.encode(protojson.fromJsonString(type, text)).finish();
}

/** The JSON text. Throws where the bytes are no message of the type, or become more than `budget` has left. */
export function decodeMessage(type: Type, bytes: Uint8Array, budget: DecodingBudget): string {
  budget.spend(type, bytes);
  return JSON.stringify(withDefaults(type, toProtoJson(type, type.decode(bytes))));
}

/** A google.protobuf.Any of a type that the schema does not have keeps its `@type` alone. */
export function toProtoJson(type: Type, message: protobuf.Message): unknown {
  for (let unknown = 0; ; unknown += 1) {
    try {
      return protojson.toJson(type, message);
    } catch (error) {
      const name = /^no such type: \.?([\w.]+)$/.exec(error instanceof Error ? error.message : '')?.[1];
      if (name === undefined || unknown === maxUnknownTypes) throw error;
      const [last = '', ...namespaces] = name.split('.').toReversed();
      const parent = namespaces.length === 0 ? type.root : type.root.define(namespaces.toReversed());
      parent.add(new protobuf.Type(last));
    }
  }
}

/** ProtoJSON omits fields without presence that have their default, although the target has that value. */
function withDefaults(type: Type, json: unknown): unknown {
  if (!isObject(json) || type.fullName.startsWith('.google.protobuf.')) return json;
  const known = new Map<string, unknown>();
  for (const field of type.fieldsArray) {
    const name = field.jsonName ?? field.name;
    if (Object.hasOwn(json, name)) known.set(name, fillField(field, json[name]));
    else if (!hasPresence(field)) known.set(name, getDefault(field));
  }
  const others = Object.entries(json).filter(([name]) => !known.has(name));
  return Object.fromEntries([...known, ...others]);
}

function fillField(field: Field, value: unknown): unknown {
  const type = field.resolvedType;
  if (!(type instanceof protobuf.Type)) return value;
  if (Array.isArray(value)) return value.map((item) => withDefaults(type, item));
  if (!field.map || !isObject(value)) return withDefaults(type, value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDefaults(type, item)]));
}

/** Fields that are messages always have it. */
function hasPresence(field: Field): boolean {
  if (field.repeated || field.map) return false;
  return Boolean(field.hasPresence) || field.resolvedType instanceof protobuf.Type;
}

function getDefault(field: Field): unknown {
  if (field.map) return {};
  if (field.repeated) return [];
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Enum) {
    const name = resolvedType.valuesById[0] ?? 0;
    return name === 'NULL_VALUE' ? null : name;
  }
  if (field.long) return '0';
  return field.bytes ? '' : field.typeDefault;
}
