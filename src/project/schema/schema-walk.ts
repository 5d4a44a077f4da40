/** Looks up titles and examples in the published schema, so that they are defined once. */
import schema from '../platform-config.schema.json' with { type: 'json' };

/** The members of a schema node that are used in problems. */
export type SchemaNode = {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly examples?: readonly unknown[];
};

const root: SchemaNode = schema;

/** The schema node at `pointer`; undefined for unknown keys. */
export function findSchemaNode(pointer: string): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const segment of pointer.split('/').slice(1)) {
    node =
      node?.items ??
      (node?.properties && Object.hasOwn(node.properties, segment) ? node.properties[segment] : undefined);
  }
  return node;
}

/** The pointers of all leaves that are required when `pointer` is. */
export function listRequiredLeaves(pointer: string): string[] {
  const node = findSchemaNode(pointer);
  if (!node?.properties) return [pointer];
  return (node.required ?? []).flatMap((name) => listRequiredLeaves(`${pointer}/${name}`));
}

/** Pointers of every key in the schema, sections and leaves. */
export function listKnownPointers(pointer = ''): string[] {
  const names = Object.keys(findSchemaNode(pointer)?.properties ?? {});
  return names.flatMap((name) => [`${pointer}/${name}`, ...listKnownPointers(`${pointer}/${name}`)]);
}

/** One line of YAML that sets `pointer`, written below its ancestor: `http: {base_url: "http://app:3100"}`. */
export function formatExampleBelow(ancestor: string, pointer: string): string {
  const [first, ...descendants] = pointer.slice(ancestor.length + 1).split('/');
  const value = formatScalarExample(pointer, descendants.length > 0);
  const inner = descendants.reduceRight((nested, name) => `{${name}: ${nested}}`, value);
  return `${first}: ${inner}`;
}

/** The example of a leaf. */
export function formatExample(pointer: string): string {
  return formatScalarExample(pointer, false);
}

function formatScalarExample(pointer: string, quoted: boolean): string {
  const node = findSchemaNode(pointer);
  if (node?.properties) return formatSectionExample(pointer);
  const [example] = node?.examples ?? [];
  if (Array.isArray(example)) return `[${example.join(', ')}]`;
  const text = String(example ?? '');
  return quoted ? JSON.stringify(text) : text;
}

function formatSectionExample(pointer: string): string {
  const node = findSchemaNode(pointer);
  const names = node?.required ?? Object.keys(node?.properties ?? {}).slice(0, 1);
  return `{${names.map((name) => `${name}: ${formatScalarExample(`${pointer}/${name}`, true)}`).join(', ')}}`;
}
