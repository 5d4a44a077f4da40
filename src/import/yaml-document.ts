/** YAML documents as JSON values. Loaded where one is read. */
import { CORE_SCHEMA, load } from 'js-yaml';
import type { Json } from '../check/json/json.ts';

const maxDepth = 200;
/** Of a text of JSON with every alias written out. */
const maxWrittenValues = 4_000_000;

/** Undefined where the text is not YAML, or has what JSON cannot hold. Aliases are one value: a small text does not become a large one. */
export function parseYamlDocument(text: string): Json | undefined {
  // Six times as fast as the package that reads the config, which keeps positions: a document may have 10 MB.
  try {
    const value: unknown = load(text.replace(/^\uFEFF/, ''), { schema: CORE_SCHEMA });
    return isJson(value, new Set(), 0) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Like {@link parseYamlDocument}, as JSON text; undefined also where aliases would make it too large. */
export function convertYamlToJson(text: string): string | undefined {
  const value = parseYamlDocument(text);
  if (value === undefined || countValues(value, new Map()) > maxWrittenValues) return undefined;
  return JSON.stringify(value, undefined, 1);
}

/** True for what JSON can hold; each alias is looked at once. */
function isJson(value: unknown, visited: Set<object>, depth: number): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > maxDepth) return false;
  if (visited.has(value)) return true;
  visited.add(value);
  return Object.values(value).every((child) => isJson(child, visited, depth + 1));
}

/** With every alias counted where it stands; a value within itself has infinitely many. */
function countValues(value: unknown, counts: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = counts.get(value);
  if (known !== undefined) return known;
  counts.set(value, Number.POSITIVE_INFINITY);
  const count = Object.values(value).reduce<number>((sum, child) => sum + countValues(child, counts), 1);
  counts.set(value, count);
  return count;
}
