/**
 * An OpenAPI document with the responses of the operations that a scenario sends, and of these what judges a JSON body: documents of
 * megabytes become small.
 */
import {
  type DocumentRequest,
  decodeReferenceStep,
  findAt,
  findOperation,
  isOpenApi,
  type OpenApiDescription,
} from './document.ts';
import { isJsonObject, listReferences, type PlainObject } from './plain-json.ts';
import { findJsonType } from './response-schemas.ts';
import { removeAnnotations } from './schema-keywords.ts';

/** The text itself where it is no OpenAPI document. The result does not change when it is reduced again. */
export type ReduceOpenApi = (text: string, requests: readonly DocumentRequest[]) => string;

/** `json` is its value. */
type Component = {
  readonly group: string;
  readonly name: string;
  readonly json: string;
  readonly references: ReadonlySet<string>;
};

type ParsedDocument = {
  readonly text: string;
  readonly document: OpenApiDescription;
  /** By reference; many operations share them. */
  readonly components: Map<string, Component | undefined>;
};

function parse(text: string): OpenApiDescription | undefined {
  if (!text.includes('"openapi"')) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return isOpenApi(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** A response as far as a JSON body is judged by it, or the reference to one. */
function reduceResponse(response: unknown): unknown {
  if (!isJsonObject(response)) return response;
  if (typeof response.$ref === 'string') return { $ref: response.$ref };
  const content = isJsonObject(response.content) ? response.content : {};
  const type = findJsonType(content);
  // Another type says that there is a body, and that it is not JSON.
  if (type === undefined) return { content: Object.fromEntries(Object.keys(content).map((name) => [name, {}])) };
  const media = content[type];
  const hasSchema = isJsonObject(media) && media.schema !== undefined;
  return { content: { [type]: hasSchema ? { schema: removeAnnotations(media.schema) } : {} } };
}

function reduceResponses(responses: unknown): PlainObject {
  const entries = isJsonObject(responses) ? Object.entries(responses) : [];
  return Object.fromEntries(entries.map(([status, response]) => [status, reduceResponse(response)]));
}

function createComponent(group: string, name: string, target: unknown): Component {
  const value = group === 'responses' ? reduceResponse(target) : removeAnnotations(target);
  return { group, name, json: JSON.stringify(value), references: listReferences(value) };
}

/** The component that a reference leads to or into. */
function findComponent({ document, components }: ParsedDocument, reference: string): Component | undefined {
  const [root, group, step] = /^#\/components\/([^/]+)\/([^/]+)/.exec(reference) ?? [];
  if (root === undefined || group === undefined || step === undefined) return undefined;
  if (!components.has(root)) {
    const name = decodeReferenceStep(step);
    const target = findAt(document, root);
    components.set(root, target === undefined ? undefined : createComponent(group, name, target));
  }
  return components.get(root);
}

/** What references lead to, at once or through others. */
function collectComponents(parsed: ParsedDocument, references: ReadonlySet<string>, collected: Set<Component>): void {
  for (const reference of references) {
    const component = findComponent(parsed, reference);
    if (component === undefined || collected.has(component)) continue;
    collected.add(component);
    collectComponents(parsed, component.references, collected);
  }
}

/** A name and its JSON. */
type Member = readonly [name: string, json: string];

const byName = ([a]: Member, [b]: Member): number => (a < b ? -1 : 1);
const indent = (line: string): string => ` ${line.replaceAll('\n', '\n ')}`;

/** Members in the order of their names, each on a line: so that a change of one component is a difference of one line. */
function writeObject(members: readonly Member[]): string {
  if (members.length === 0) return '{}';
  const lines = members.map(([name, json]) => indent(`${JSON.stringify(name)}: ${json}`));
  return `{\n${lines.join(',\n')}\n}`;
}

function reduce(parsed: ParsedDocument, requests: readonly DocumentRequest[]): string {
  const { openapi, servers } = parsed.document;
  const paths = new Map<string, Record<string, PlainObject>>();
  const collected = new Set<Component>();
  for (const request of requests) {
    const operation = findOperation(parsed.document, request);
    if (!operation) continue;
    const { template, method, definition } = operation;
    const responses = reduceResponses(definition.responses);
    paths.set(template, { ...paths.get(template), [method]: { responses } });
    collectComponents(parsed, listReferences(responses), collected);
  }
  const groups = [...new Set(Array.from(collected, ({ group }) => group))];
  const components = groups.map((name): Member => {
    const entries = [...collected].filter(({ group }) => group === name);
    return [name, writeObject(entries.map((entry): Member => [entry.name, entry.json]).sort(byName))];
  });
  return writeObject([
    ['openapi', JSON.stringify(openapi)],
    ...(servers === undefined ? [] : [['servers', JSON.stringify(reduceServers(servers))] satisfies Member]),
    ['paths', writeObject(Array.from(paths, ([name, item]): Member => [name, JSON.stringify(item)]).sort(byName))],
    ['components', writeObject(components.sort(byName))],
  ]);
}

/** Their addresses alone: paths of requests begin with the paths of these. */
function reduceServers(servers: unknown): unknown {
  if (!Array.isArray(servers)) return servers;
  return servers.map((server: unknown) => (isJsonObject(server) ? { url: server.url } : server));
}

/** Reads a document once for all the scenarios that name it. */
export function createOpenApiReducer(): ReduceOpenApi {
  let last: ParsedDocument | undefined;
  return (text, requests) => {
    if (last?.text !== text) {
      const document = parse(text);
      if (!document) return text;
      last = { text, document, components: new Map() };
    }
    return reduce(last, requests);
  };
}

export const reduceOpenApi: ReduceOpenApi = (text, requests) => createOpenApiReducer()(text, requests);
