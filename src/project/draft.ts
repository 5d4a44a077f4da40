import type { Ledger } from './ledger.ts';
import type { Filled, LookUp } from './references.ts';
import { exampleOf } from './schema-walk.ts';
import { Secret } from './secret.ts';
import { type ConfigTree, dottedOf, type Plain, valueAt } from './yaml-tree.ts';

/**
 * What the config is for: `compose` demands `deploy`; `local` runs on this machine, where `localhost` is right; `any` is
 * neither, and warns about `localhost`.
 */
export type ProjectUse = 'compose' | 'local' | 'any';

/** A config whose keys were held against the schema and whose references were filled; sections are read from it. */
export type Draft = {
  readonly use: ProjectUse;
  readonly ledger: Ledger;
  readonly lookUp: LookUp;
  /** Names of the `.env` that stand anywhere below `targets`, with the dotted key that uses them. */
  readonly targetNames: ReadonlyMap<string, string>;
  has(pointer: string): boolean;
  /** The filled text at `pointer`; undefined where there is none, or where it was told to be wrong. */
  text(pointer: string): string | undefined;
  /** The texts of a list, with the pointer of each; those told to be wrong are left out. */
  items(pointer: string): readonly (readonly [pointer: string, text: string])[];
  /** The secret at `pointer`, which must be one reference; a literal is told. */
  secret(pointer: string): Secret | undefined;
};

/** Puts a draft together. */
export function draftOf(
  tree: ConfigTree,
  filled: ReadonlyMap<string, Filled>,
  parts: Pick<Draft, 'use' | 'ledger' | 'lookUp'>,
): Draft {
  const { ledger } = parts;
  const text = (pointer: string): string | undefined =>
    ledger.isWrong(pointer) ? undefined : filled.get(pointer)?.text;
  return {
    ...parts,
    targetNames: targetNames(filled),
    has: (pointer) => tree.spots.has(pointer),
    text,
    items: (pointer) => itemsOf(valueAt(tree.root, pointer), pointer, ledger),
    secret(pointer) {
      const value = filled.get(pointer);
      if (!value || ledger.isWrong(pointer)) return undefined;
      const [name] = value.names;
      if (name !== undefined && value.whole) return secretOf(name, value.text, pointer, ledger);
      tellLiteral(pointer, ledger);
      return undefined;
    },
  };
}

/** Shorter values cannot be hidden wherever they occur: hiding each `1` of a report would hide the report. */
const shortestHideable = 4;

/** A secret from the `.env`; one that is too short to be hidden well is told. */
export function secretOf(name: string, value: string, pointer: string, ledger: Ledger): Secret {
  if (value.length < shortestHideable) ledger.tell('CONFIG_SECRET_SHORT', pointer, { name, least: shortestHideable });
  return new Secret(name, value);
}

function tellLiteral(pointer: string, ledger: Ledger): void {
  const reference = exampleOf(pointer);
  const values = { key: dottedOf(pointer), key_name: pointer.slice(pointer.lastIndexOf('/') + 1) };
  ledger.tell('CONFIG_SECRET_LITERAL', pointer, { ...values, reference, name: reference.slice(2, -1) });
}

function targetNames(filled: ReadonlyMap<string, Filled>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [pointer, value] of filled) {
    if (!pointer.startsWith('/targets/')) continue;
    for (const name of value.names) if (!names.has(name)) names.set(name, dottedOf(pointer));
  }
  return names;
}

function itemsOf(value: Plain | undefined, pointer: string, ledger: Ledger): (readonly [string, string])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: Plain, index): (readonly [string, string])[] => {
    const at = `${pointer}/${index}`;
    return typeof item === 'string' && !ledger.isWrong(at) ? [[at, item]] : [];
  });
}
