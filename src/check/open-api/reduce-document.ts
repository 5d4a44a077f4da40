/** An OpenAPI document without the operations that a scenario does not send: documents of megabytes become small. */
import { type DocumentRequest, findAt, findOperation, isOpenApi } from './document.ts';
import { isJsonObject, listReferences, type PlainObject } from './plain-json.ts';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type ComponentGroups = Record<string, Record<string, unknown>>;

/** What `value` refers to below `components`, at once or through others. */
function addComponents(document: PlainObject, value: unknown, components: ComponentGroups): void {
  for (const reference of listReferences(value)) {
    const [, group, name] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
    const target = findAt(document, reference);
    if (group === undefined || name === undefined || target === undefined) continue;
    components[group] ??= {};
    const entries = components[group];
    if (Object.hasOwn(entries, name)) continue;
    entries[name] = target;
    addComponents(document, target, components);
  }
}

/** The text itself where it is no OpenAPI document. The result does not change when it is reduced again. */
export function reduceOpenApi(text: string, requests: readonly DocumentRequest[]): string {
  if (!text.includes('"openapi"')) return text;
  const document = parse(text);
  if (!isOpenApi(document)) return text;
  const paths: Record<string, Record<string, unknown>> = {};
  const components: ComponentGroups = {};
  for (const request of requests) {
    const operation = findOperation(document, request);
    if (!operation) continue;
    const { template, method, definition } = operation;
    const { responses } = definition;
    paths[template] = { ...paths[template], [method]: { responses } };
    addComponents(document, responses, components);
  }
  const { openapi, servers } = document;
  const sorted = Object.fromEntries(
    Object.entries(components).map(([group, entries]) => [group, sortKeys(entries)] as const),
  );
  const reduced = {
    openapi,
    ...(servers === undefined ? {} : { servers }),
    paths: sortKeys(paths),
    components: sortKeys(sorted),
  };
  return JSON.stringify(reduced, null, 1);
}

function sortKeys(value: PlainObject): PlainObject {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}
