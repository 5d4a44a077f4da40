import type { FilledValue, LookUpVariable } from './env/references.ts';
import { Secret } from './env/secret.ts';
import { minHideableLength } from './hide-value.ts';
import type { ProblemReporter } from './problem-reporter.ts';
import { formatExample } from './schema/schema-walk.ts';
import { type ConfigTree, formatDottedKey, getYamlValue, type PlainValue } from './yaml/yaml-tree.ts';

/**
 * The use of the config: `compose` requires `deploy`; `local` runs on this machine, where `localhost` is correct; `any`
 * is neither, and warns about `localhost` only where a section `deploy` says that containers are meant.
 */
export type ProjectUse = 'compose' | 'local' | 'any';

/** A config validated against the schema, with its references filled in; sections are read from it. */
export type ConfigDraft = {
  readonly use: ProjectUse;
  readonly reporter: ProblemReporter;
  readonly lookUpVariable: LookUpVariable;
  /** Names of the `.env` used anywhere below `targets`, with the dotted key that uses them. */
  readonly targetNames: ReadonlyMap<string, string>;
  has(pointer: string): boolean;
  /** The filled text at `pointer`; undefined when it is absent or was reported as wrong. */
  text(pointer: string): string | undefined;
  /** The texts of a list, with the pointer of each; those reported as wrong are omitted. */
  items(pointer: string): readonly (readonly [pointer: string, text: string])[];
  /** The secret at `pointer`, which must be a single reference; a literal is reported. */
  secret(pointer: string): Secret | undefined;
};

export function createDraft(
  tree: ConfigTree,
  filled: ReadonlyMap<string, FilledValue>,
  context: Pick<ConfigDraft, 'use' | 'reporter' | 'lookUpVariable'>,
): ConfigDraft {
  const { reporter } = context;
  const text = (pointer: string): string | undefined =>
    reporter.isWrong(pointer) ? undefined : filled.get(pointer)?.text;
  return {
    ...context,
    targetNames: listTargetNames(filled),
    has: (pointer) => tree.positions.has(pointer),
    text,
    items: (pointer) => listItems(getYamlValue(tree.root, pointer), pointer, reporter),
    secret(pointer) {
      const value = filled.get(pointer);
      if (!value || reporter.isWrong(pointer)) return undefined;
      const [name] = value.names;
      if (name !== undefined && value.isSingleReference) return createConfigSecret(name, value.text, pointer, reporter);
      reportLiteral(pointer, reporter);
      return undefined;
    },
  };
}

/** A secret from the `.env`; one that is too short to be redacted is reported. */
export function createConfigSecret(name: string, value: string, pointer: string, reporter: ProblemReporter): Secret {
  if (value.length < minHideableLength)
    reporter.report('CONFIG_SECRET_SHORT', pointer, { name, min: minHideableLength });
  return new Secret(name, value);
}

function reportLiteral(pointer: string, reporter: ProblemReporter): void {
  const reference = formatExample(pointer);
  const values = { key: formatDottedKey(pointer), key_name: pointer.slice(pointer.lastIndexOf('/') + 1) };
  reporter.report('CONFIG_SECRET_LITERAL', pointer, { ...values, reference, name: reference.slice(2, -1) });
}

function listTargetNames(filled: ReadonlyMap<string, FilledValue>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [pointer, value] of filled) {
    if (!pointer.startsWith('/targets/')) continue;
    for (const name of value.names) if (!names.has(name)) names.set(name, formatDottedKey(pointer));
  }
  return names;
}

function listItems(
  value: PlainValue | undefined,
  pointer: string,
  reporter: ProblemReporter,
): (readonly [string, string])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: PlainValue, index): (readonly [string, string])[] => {
    const itemPointer = `${pointer}/${index}`;
    return typeof item === 'string' && !reporter.isWrong(itemPointer) ? [[itemPointer, item]] : [];
  });
}
