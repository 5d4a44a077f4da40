/** The four collections of the API as data. */
import type { Problem } from '../http/api-error.ts';
import type { Row, Value } from '../storage/database.ts';
import type { Field } from './fields.ts';

/** A collection: one table, one path under `/api/v2`. */
export type Resource = {
  /** Table, last part of the path, and what people call one row. */
  readonly name: string;
  /** The properties of a row as JSON, in order; `folderId` is column `folder_id`. */
  readonly properties: readonly string[];
  /** What a create request may send. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Values of a new row besides those of the request, its id and its time. */
  readonly initial: Row;
  /** Query parameters that filter rows, with their allowed values. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** The rows of a new database. */
  readonly seeds: readonly Row[];
};

export function toColumnName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The values of a create request, or everything that is wrong with it. */
export function parseCreate(resource: Resource, sent: unknown): { values: Row } | { problems: Problem[] } {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return { problems: [{ field: '', message: 'the body must be a JSON object' }] };
  }
  const value = new Map<string, unknown>(Object.entries(sent));
  const problems: Problem[] = [];
  const values: Record<string, Value> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    const parsed = value.has(name) ? field.parse(value.get(name)) : absent(field);
    value.delete(name);
    if ('problem' in parsed) problems.push({ field: name, message: parsed.problem });
    else values[name] = parsed.value;
  }
  const known = Object.keys(resource.fields).join(', ');
  for (const field of value.keys()) problems.push({ field, message: `is not known; known are: ${known}` });
  return problems.length > 0 ? { problems } : { values };
}

function absent(field: Field) {
  return field.required ? { problem: 'is missing' } : { value: null };
}
