/**
 * Bounds what decoding takes. Two bytes on the wire may be a message of a hundred fields that all get their default, so the limit of the
 * bytes alone does not bound the memory: 10 MiB took several gigabytes.
 */
import protobuf, { type Field, type Reader, type Type } from 'protobufjs';

/** Messages, the fields of each, whether they were sent or not, texts, and enums that become names. */
const maxValues = 2_000_000;
/** That of protobufjs, which refuses what is nested deeper. */
const maxDepth = 100;
const wireTypes = { lengthDelimited: 2, groupStart: 3, groupEnd: 4 } as const;

/** Counts the values of all messages of one call, or of the files of one schema. */
export class DecodingBudget {
  #remaining = maxValues;

  /** Throws where the values become too many, and what a Reader throws of bytes that are no message. */
  spend(type: Type, bytes: Uint8Array): void {
    this.#visit(type, protobuf.Reader.create(bytes), bytes.length, 0);
  }

  #count(values: number): void {
    this.#remaining -= values;
    if (this.#remaining < 0) throw new RangeError(`it would have more than ${maxValues} values`);
  }

  /** Reads up to `end`, or to the end of the group. */
  #visit(type: Type, reader: Reader, end: number, depth: number): void {
    this.#count(1 + type.fieldsArray.length);
    if (depth > maxDepth) throw new RangeError(`it is nested deeper than ${maxDepth} messages`);
    while (reader.pos < end) {
      const tag = reader.uint32();
      const wireType = tag & 7;
      if (wireType === wireTypes.groupEnd) return;
      const field = type.fieldsById[tag >>> 3];
      if (!field || (wireType !== wireTypes.lengthDelimited && wireType !== wireTypes.groupStart)) {
        reader.skipType(wireType);
        continue;
      }
      const fieldEnd = wireType === wireTypes.groupStart ? end : reader.uint32() + reader.pos;
      this.#visitField(field, reader, fieldEnd, depth + 1);
      if (wireType === wireTypes.lengthDelimited) reader.pos = fieldEnd;
    }
  }

  #visitField(field: Field, reader: Reader, end: number, depth: number): void {
    const type = field.resolve().resolvedType;
    if (!(type instanceof protobuf.Type)) this.#count(type instanceof protobuf.Enum ? end - reader.pos : 1);
    else if (field.map) this.#visitEntry(type, reader, end, depth);
    else if (type.fullName === '.google.protobuf.Any')
      this.#visitAny(type, reader.buf.subarray(reader.pos, end), depth);
    else this.#visit(type, reader, end, depth);
  }

  /** An entry of a map: its key is field 1, its value field 2. */
  #visitEntry(type: Type, reader: Reader, end: number, depth: number): void {
    this.#count(1 + type.fieldsArray.length);
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag !== 2 * 8 + wireTypes.lengthDelimited) {
        reader.skipType(tag & 7);
        continue;
      }
      const valueEnd = reader.uint32() + reader.pos;
      this.#visit(type, reader, valueEnd, depth);
      reader.pos = valueEnd;
    }
  }

  #visitAny(any: Type, bytes: Uint8Array, depth: number): void {
    this.#count(1);
    const { type_url: url, value } = any.toObject(any.decode(bytes));
    const type = typeof url === 'string' ? findType(any, url.slice(url.lastIndexOf('/') + 1)) : undefined;
    if (type && value instanceof Uint8Array) this.#visit(type, protobuf.Reader.create(value), value.length, depth);
  }
}

function findType({ root }: Type, name: string): Type | undefined {
  try {
    return root.lookupType(name);
  } catch {
    return undefined;
  }
}
