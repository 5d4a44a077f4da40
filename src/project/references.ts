/** `${NAME}` in values of the config, filled from the `.env`. */

import { suggestion } from '../errors/suggestion.ts';
import type { EnvFile } from './env-file.ts';
import type { Ledger } from './ledger.ts';
import { dottedOf, type Plain, pointerOf, valueAt } from './yaml-tree.ts';

/** The `.env` as far as it could be read: `absent` when there is none, `unreadable` when that was told already. */
export type EnvSource = { readonly file: string; readonly entries: EnvFile | 'absent' | 'unreadable' };

/** A value with the names it used; `whole` when it is one reference and nothing else. */
export type Filled = { readonly text: string; readonly names: readonly string[]; readonly whole: boolean };

const anyReference = /\$\{([^}]*)(\}?)/g;
const nameShape = /^[A-Za-z_]\w*$/;

/** The value of a name; what is wrong with it is told at `pointer`, and undefined comes back when it has none. */
export type LookUp = (name: string, pointer: string) => string | undefined;

/** Every text below `root` with its references filled, by pointer; `scenarios` is left alone: there names are meant. */
export function fillReferences(root: Plain, lookUp: LookUp, ledger: Ledger): Map<string, Filled> {
  const filled = new Map<string, Filled>();
  const visit = (value: Plain, pointer: string): void => {
    if (pointer === '/scenarios' || value === null) return;
    if (typeof value === 'string') filled.set(pointer, fill(value, pointer, lookUp, ledger));
    else for (const [key, below] of Object.entries(value)) visit(below, pointerOf(pointer, key));
  };
  visit(root, '');
  return filled;
}

/** The names that the `.env` must hold for this config: those of its references, then those that it gives to scenarios. */
export function namesNeeded(root: Plain): readonly string[] {
  const names = new Set<string>();
  const visit = (value: Plain, pointer: string): void => {
    if (pointer === '/scenarios' || value === null) return;
    if (typeof value !== 'string') {
      for (const [key, below] of Object.entries(value)) visit(below, pointerOf(pointer, key));
      return;
    }
    for (const [, name = '', closed] of value.matchAll(anyReference))
      if (closed && nameShape.test(name)) names.add(name);
  };
  visit(root, '');
  const given = valueAt(root, '/scenarios/variables');
  for (const name of Array.isArray(given) ? given : []) {
    if (typeof name === 'string' && nameShape.test(name)) names.add(name);
  }
  return [...names];
}

/** Looks names up in the `.env`. A missing file is told once, at the first name that needs it. */
export function lookUpIn({ file, entries }: EnvSource, ledger: Ledger): LookUp {
  let absenceTold = false;
  return (name, pointer) => {
    if (typeof entries === 'string') {
      if (entries === 'unreadable' || absenceTold) ledger.markWrong(pointer);
      else ledger.tell('CONFIG_ENV_MISSING', pointer, { file, key: dottedOf(pointer), name });
      absenceTold = true;
      return undefined;
    }
    const value = entries.get(name)?.value;
    if (value === undefined)
      ledger.tell('CONFIG_VARIABLE_UNKNOWN', pointer, { name, file, similar: similarTo(name, entries) });
    else if (value === '') ledger.tell('CONFIG_VARIABLE_EMPTY', pointer, { name, file });
    return value || undefined;
  };
}

function similarTo(name: string, entries: EnvFile): string {
  const near = suggestion(name, entries.keys());
  return near === undefined ? '' : `, or did you mean \`${near}\`, which is there?`;
}

function fill(raw: string, pointer: string, lookUp: LookUp, ledger: Ledger): Filled {
  const names: string[] = [];
  const text = raw.replaceAll(anyReference, (found: string, name: string, closed: string) => {
    if (closed === '' || !nameShape.test(name)) {
      ledger.tell('CONFIG_REFERENCE_INVALID', pointer, { key: dottedOf(pointer), text: found, reference: '${NAME}' });
      return found;
    }
    names.push(name);
    return lookUp(name, pointer) ?? found;
  });
  return { text, names, whole: names.length === 1 && raw === `\${${names[0]}}` };
}
