/** Reads an OpenAPI document (versions 2 and 3) as far as scenarios need it: operations, and what they require. */
import { isList, isObject, type Json, type JsonObject, toStringForm } from '../check/json/json.ts';

/** `path` includes the prefix that the document gives to all paths. */
export type ApiOperation = {
  readonly method: string;
  readonly path: string;
  /** It has parameters that must be chosen: in the path, or required ones elsewhere. */
  readonly needsParameters: boolean;
  /** The first successful status that is documented. */
  readonly status: number | undefined;
  /** An example of the JSON body to send; undefined where none is documented. */
  readonly bodyExample: string | undefined;
};

/** `format` is such as `OpenAPI 3.0.3`. */
export type ApiDocument = {
  readonly format: string;
  readonly title: string;
  readonly operations: readonly ApiOperation[];
};

const methodKeys = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete', 'trace'];
const maxOperations = 2000;
const maxReferences = 10;
const maxExampleDepth = 4;

/** Undefined for a value that is not such a document. */
export function parseApiDocument(root: Json): ApiDocument | undefined {
  if (!isObject(root)) return undefined;
  const paths = root.paths;
  const version = root.openapi ?? root.swagger;
  if (typeof version !== 'string' || !/^[23]\./.test(version) || paths === undefined || !isObject(paths))
    return undefined;
  const prefix = readPrefix(root);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    path.startsWith('/') && isObject(item) ? readOperations(root, `${prefix}${path}`, item) : [],
  );
  const title = getMember(getMember(root, 'info'), 'title');
  return {
    format: `${root.openapi === undefined ? 'Swagger' : 'OpenAPI'} ${version}`,
    title: typeof title === 'string' ? title : '',
    operations: operations.slice(0, maxOperations),
  };
}

/** The operations that can be requested as they stand. */
export function listPlainReads({ operations }: ApiDocument): readonly ApiOperation[] {
  return operations.filter(({ method, needsParameters }) => method === 'GET' && !needsParameters);
}

/** The operation of a request; parameters of documented paths match any segment. */
export function findOperation({ operations }: ApiDocument, method: string, path: string): ApiOperation | undefined {
  const [plain = ''] = path.split('?', 1);
  const segments = plain.split('/');
  const matches = (documented: string): boolean => {
    const parts = documented.split('/');
    return parts.length === segments.length && parts.every((part, i) => part.includes('{') || part === segments[i]);
  };
  const candidates = operations.filter((operation) => operation.method === method && matches(operation.path));
  return candidates.find((operation) => operation.path === plain) ?? candidates[0];
}

/** The path of the first server (version 3) or `basePath` (version 2), without a slash at its end. */
function readPrefix(root: JsonObject): string {
  const servers = root.servers;
  const url = servers !== undefined && isList(servers) ? getMember(servers[0], 'url') : root.basePath;
  if (typeof url !== 'string' || url.includes('{')) return '';
  return (URL.parse(url, 'http://localhost')?.pathname ?? '').replace(/\/+$/, '');
}

function readOperations(root: JsonObject, path: string, item: JsonObject): ApiOperation[] {
  return methodKeys.flatMap((key): ApiOperation[] => {
    const operation = item[key];
    if (operation === undefined || !isObject(operation)) return [];
    const parameters = [...listItems(item.parameters), ...listItems(operation.parameters)].map((value) =>
      resolveReference(root, value),
    );
    const isRequired = (value: Json | undefined): boolean =>
      getMember(value, 'required') === true && !(getMember(value, 'in') === 'body');
    return [
      {
        method: key.toUpperCase(),
        path,
        needsParameters: path.includes('{') || parameters.some(isRequired),
        status: readStatus(operation),
        bodyExample: readBodyExample(root, operation, parameters),
      },
    ];
  });
}

function readStatus(operation: JsonObject): number | undefined {
  const responses = operation.responses;
  if (responses === undefined || !isObject(responses)) return undefined;
  const status = Object.keys(responses).find((code) => /^2\d\d$/.test(code));
  return status === undefined ? undefined : Number(status);
}

function readBodyExample(
  root: JsonObject,
  operation: JsonObject,
  parameters: readonly (Json | undefined)[],
): string | undefined {
  const body = resolveReference(root, operation.requestBody);
  const content = getMember(getMember(body, 'content'), 'application/json');
  const bodyParameter = parameters.find((parameter) => getMember(parameter, 'in') === 'body');
  const media = content ?? bodyParameter;
  if (media === undefined) return undefined;
  const [firstExample] = Object.values(toObject(getMember(media, 'examples')));
  const example =
    getMember(media, 'example') ??
    getMember(resolveReference(root, firstExample), 'value') ??
    createExample(root, getMember(media, 'schema'), 0);
  return example === undefined ? undefined : JSON.stringify(example, undefined, 2);
}

/** A value that a schema allows, as far as simple schemas tell; undefined where nothing is known. */
function createExample(root: JsonObject, reference: Json | undefined, depth: number): Json | undefined {
  const schema = resolveReference(root, reference);
  if (schema === undefined || !isObject(schema) || depth > maxExampleDepth) return undefined;
  const named = schema.example ?? schema.default ?? listItems(schema.enum)[0] ?? listItems(schema.examples)[0];
  if (named !== undefined) return named;
  const properties = Object.entries(toObject(schema.properties));
  if (schema.type === 'object' || properties.length > 0) {
    const required = listItems(schema.required);
    const chosen = properties.filter(([name]) => required.length === 0 || required.includes(name));
    return Object.fromEntries(chosen.map(([name, child]) => [name, createExample(root, child, depth + 1) ?? null]));
  }
  const byType: Readonly<Record<string, Json>> = { string: 'text', integer: 1, number: 1, boolean: true, array: [] };
  const type = isList(schema.type ?? null) ? listItems(schema.type)[0] : schema.type;
  return typeof type === 'string' && Object.hasOwn(byType, type) ? byType[type] : undefined;
}

/** Follows `$ref` within the document. */
function resolveReference(root: JsonObject, value: Json | undefined): Json | undefined {
  let current = value;
  for (let count = 0; count < maxReferences; count += 1) {
    const reference = getMember(current, '$ref');
    if (typeof reference !== 'string') return current;
    if (!reference.startsWith('#/')) return undefined;
    const steps = reference.slice(2).split('/');
    current = steps.reduce<Json | undefined>(
      (parent, step) => getMember(parent, step.replaceAll('~1', '/').replaceAll('~0', '~')),
      root,
    );
  }
  return undefined;
}

function getMember(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function listItems(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

function toObject(value: Json | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

/** The operations by method, for people: `12 operations, 4 of them GET without parameters`. */
export function summarizeDocument(document: ApiDocument): string {
  const { length } = document.operations;
  return `${toStringForm(length)} ${length === 1 ? 'operation' : 'operations'}, ${listPlainReads(document).length} of them GET without required parameters`;
}
