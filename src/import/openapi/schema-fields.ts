/** The fields of a documented response, and those that a check names. Elements of lists are not distinguished: `data.id`. */
import type { Check } from '../../check/check-kind.ts';
import type { JsonObject } from '../../check/json/json.ts';
import { toObject } from '../members.ts';
import type { OpenApiDocument } from './document.ts';
import { mergeSchema } from './schema-values.ts';

const maxFields = 300;
const maxDepth = 6;

/** Values without members, in the order of the document; empty where the body is a value or a list of values. */
export function listSchemaFields(schema: JsonObject, resolve: OpenApiDocument['resolve']): readonly string[] {
  const fields: string[] = [];
  const visit = (value: JsonObject, path: string, depth: number): void => {
    if (fields.length >= maxFields) return;
    const merged = mergeSchema(value, resolve);
    const properties = Object.entries(toObject(merged.properties));
    if (merged.items !== undefined && depth < maxDepth) visit(resolve(merged.items), path, depth + 1);
    else if (properties.length === 0 || depth >= maxDepth) {
      if (path !== '') fields.push(path);
    } else
      for (const [name, child] of properties) visit(resolve(child), path === '' ? name : `${path}.${name}`, depth + 1);
  };
  visit(schema, '', 0);
  return [...new Set(fields)];
}

/** Every path of a check, wherever its kind keeps it. */
export function listCheckFields(check: Check): readonly string[] {
  const paths = new Set<string>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 8) return;
    if ('steps' in value && 'text' in value && Array.isArray(value.steps) && typeof value.text === 'string') {
      paths.add(normalizeField(value.text));
      return;
    }
    for (const child of Object.values(value)) visit(child, depth + 1);
  };
  visit(check, 0);
  return [...paths].filter((path) => path !== '');
}

function normalizeField(text: string): string {
  return text
    .replaceAll(/\[\d+\]/g, '')
    .replaceAll(/\["((?:[^"\\]|\\.)*)"\]/g, '.$1')
    .replace(/^\./, '');
}
