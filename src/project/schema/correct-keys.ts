/** Reads misspelt keys as what was probably meant, so that one pass also reports the problems below them. */
import { findSuggestion } from '../../errors/suggestion.ts';
import { type ConfigTree, joinPointer, type KeyValuePositions, type PlainValue } from '../yaml/yaml-tree.ts';
import { findSchemaNode, type SchemaNode } from './schema-walk.ts';

/** `pointer` is that of the corrected key, `name` the key as written. */
export type MisspelledKey = { readonly pointer: string; readonly parent: string; readonly name: string };

export type CorrectedTree = { readonly tree: ConfigTree; readonly misspelled: readonly MisspelledKey[] };

/** Only keys of the schema that are not there themselves are taken as meant. */
export function correctKeys({ root, positions }: ConfigTree): CorrectedTree {
  const misspelled: MisspelledKey[] = [];
  const corrected = new Map<string, KeyValuePositions>();
  const visit = (value: PlainValue, written: string, pointer: string): PlainValue => {
    const position = positions.get(written);
    if (position) corrected.set(pointer, position);
    if (value === null || typeof value === 'string') return value;
    if (isList(value)) return value.map((item, index) => visit(item, `${written}/${index}`, `${pointer}/${index}`));
    const names = selectNames(value, findSchemaNode(pointer));
    const record: Record<string, PlainValue> = Object.create(null);
    for (const [name, child] of Object.entries(value)) {
      const meant = names.get(name) ?? name;
      const childPointer = joinPointer(pointer, meant);
      if (meant !== name) misspelled.push({ pointer: childPointer, parent: pointer, name });
      record[meant] = visit(child, joinPointer(written, name), childPointer);
    }
    return record;
  };
  return { tree: { root: visit(root, '', ''), positions: corrected }, misspelled };
}

function isList(value: Exclude<PlainValue, null | string>): value is readonly PlainValue[] {
  return Array.isArray(value);
}

/** What each misspelt key means; a key of the schema is meant by the first that is near it. */
function selectNames(
  record: { readonly [key: string]: PlainValue },
  node: SchemaNode | undefined,
): Map<string, string> {
  const names = new Map<string, string>();
  const missing = new Set(Object.keys(node?.properties ?? {}).filter((key) => !Object.hasOwn(record, key)));
  for (const name of Object.keys(record)) {
    if (missing.size === 0) return names;
    if (Object.hasOwn(node?.properties ?? {}, name)) continue;
    const meant = findSuggestion(name, missing);
    if (meant === undefined) continue;
    names.set(name, meant);
    missing.delete(meant);
  }
  return names;
}
