/** Looks things up in the published schema, so that its words and examples stand in one place. */
import schema from './platform-config.schema.json' with { type: 'json' };

/** The parts of a schema node that problems are told with. */
export type SchemaNode = {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly examples?: readonly unknown[];
};

const root: SchemaNode = schema;

/** The node that describes what stands at `pointer`; undefined for unknown keys. */
export function nodeAt(pointer: string): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const segment of pointer.split('/').slice(1)) {
    node =
      node?.items ??
      (node?.properties && Object.hasOwn(node.properties, segment) ? node.properties[segment] : undefined);
  }
  return node;
}

/** The pointers of all leaves that must be there once `pointer` must. */
export function requiredLeaves(pointer: string): string[] {
  const node = nodeAt(pointer);
  if (!node?.properties) return [pointer];
  return (node.required ?? []).flatMap((name) => requiredLeaves(`${pointer}/${name}`));
}

/** Pointers of every key the schema knows, sections and leaves. */
export function knownPointers(pointer = ''): string[] {
  const names = Object.keys(nodeAt(pointer)?.properties ?? {});
  return names.flatMap((name) => [`${pointer}/${name}`, ...knownPointers(`${pointer}/${name}`)]);
}

/** One line of YAML that sets `pointer`, written below its ancestor `from`: `http: {base_url: "http://app:3100"}`. */
export function exampleBelow(from: string, pointer: string): string {
  const [first, ...rest] = pointer.slice(from.length + 1).split('/');
  const value = scalarExample(pointer, rest.length > 0);
  const inner = rest.reduceRight((below, name) => `{${name}: ${below}}`, value);
  return `${first}: ${inner}`;
}

/** The example of a leaf alone. */
export function exampleOf(pointer: string): string {
  return scalarExample(pointer, false);
}

function scalarExample(pointer: string, quoted: boolean): string {
  const node = nodeAt(pointer);
  if (node?.properties) return sectionExample(pointer);
  const [example] = node?.examples ?? [];
  if (Array.isArray(example)) return `[${example.join(', ')}]`;
  const text = String(example ?? '');
  return quoted ? JSON.stringify(text) : text;
}

function sectionExample(pointer: string): string {
  const node = nodeAt(pointer);
  const names = node?.required ?? Object.keys(node?.properties ?? {}).slice(0, 1);
  return `{${names.map((name) => `${name}: ${scalarExample(`${pointer}/${name}`, true)}`).join(', ')}}`;
}
