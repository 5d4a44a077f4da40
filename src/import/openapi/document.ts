/**
 * Reads an OpenAPI document (versions 2 and 3): operations with what a request needs and what comes back. References are followed when
 * something is read: large documents share schemas so often that resolving all at once multiplies their size.
 * Length: the types of a document and their readers, which share its references.
 */
import { isObjectValue, type Json, type JsonObject } from '../../check/json/json.ts';
import { readJson } from '../../check/json/read-json.ts';
import type { SourceFile } from '../imported.ts';
import { getMember, getText, listItems, toObject } from '../members.ts';

export type ApiParameter = {
  readonly name: string;
  readonly location: 'path' | 'query' | 'header' | 'cookie';
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  /** Undefined where the document has none. */
  readonly example: Json | undefined;
};

export type ApiResponse = {
  /** `200`, `2XX` or `default`. */
  readonly status: string;
  /** Media types with their schemas. */
  readonly content: readonly (readonly [type: string, schema: JsonObject])[];
  readonly links: readonly ApiLink[];
};

/** Where a value of a response is a parameter of another operation. */
export type ApiLink = {
  readonly operationId: string;
  readonly parameters: readonly (readonly [name: string, expression: string])[];
};

/** `encoding`: of the fields of a form or the parts of a multipart body, by their names. */
export type ApiBody = {
  readonly type: string;
  readonly schema: JsonObject;
  readonly example: Json | undefined;
  readonly encoding: JsonObject;
};

export type DocumentedOperation = {
  readonly method: string;
  /** With the prefix of the server, and parameters as `{name}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly parameters: readonly ApiParameter[];
  readonly bodies: readonly ApiBody[];
  readonly responses: readonly ApiResponse[];
  /** Names of the schemes of the first requirement; empty where none is needed. */
  readonly security: readonly string[];
};

export type SecurityScheme = {
  readonly type: string;
  readonly scheme: string;
  readonly location: string;
  readonly name: string;
};

export type OpenApiDocument = {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly DocumentedOperation[];
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>;
  /** Follows references within the document; an unknown one is an empty object. */
  resolve(value: Json | undefined): JsonObject;
};

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete', 'trace', 'query'];
const maxReferences = 20;

/** JSON, or YAML; undefined where the text is neither. */
export async function parseDocumentText({ text }: SourceFile): Promise<Json | undefined> {
  try {
    return readJson(text.replace(/^\uFEFF/, ''));
  } catch {
    if (/^\s*[[{]/.test(text)) return undefined;
  }
  const { parseYamlDocument } = await import('../yaml-document.ts');
  return parseYamlDocument(text);
}

/** Undefined for a value that is not such a document. */
export function readOpenApi(root: Json | undefined): OpenApiDocument | undefined {
  const version = getText(root, 'openapi') || getText(root, 'swagger');
  const paths = getMember(root, 'paths');
  if (
    root === undefined ||
    !isObjectValue(root) ||
    !/^[23]\./.test(version) ||
    paths === undefined ||
    !isObjectValue(paths)
  )
    return undefined;
  const resolve = createResolver(root);
  const prefix = readPrefix(root);
  const context: ReadContext = { root, resolve, isVersion2: version.startsWith('2.') };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    readPath(`${prefix}${path}`, resolve(item), context),
  );
  return {
    title: getText(root, 'info', 'title'),
    version,
    operations,
    securitySchemes: readSecuritySchemes(root, resolve),
    resolve,
  };
}

type ReadContext = {
  readonly root: JsonObject;
  readonly resolve: OpenApiDocument['resolve'];
  readonly isVersion2: boolean;
};

function createResolver(root: JsonObject): OpenApiDocument['resolve'] {
  const known = new Map<string, Json | undefined>();
  const follow = (reference: string): Json | undefined => {
    if (!known.has(reference)) {
      const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : undefined;
      const keys = steps?.map((step) => safeDecode(step).replaceAll('~1', '/').replaceAll('~0', '~'));
      known.set(reference, keys && getMember(root, ...keys));
    }
    return known.get(reference);
  };
  return (value) => {
    let current = value;
    for (let count = 0; count < maxReferences; count += 1) {
      const reference = getMember(current, '$ref');
      if (typeof reference !== 'string') return toObject(current);
      current = follow(reference);
    }
    return {};
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The path of the first server (version 3) or `basePath` (version 2), without a slash at its end. */
function readPrefix(root: JsonObject): string {
  const [server] = listItems(root.servers);
  const variables = toObject(getMember(server, 'variables'));
  const url = (server === undefined ? getText(root.basePath) : getText(server, 'url')).replaceAll(
    /\{([^}]+)\}/g,
    (whole, name: string) => getText(variables[name], 'default') || whole,
  );
  return (URL.parse(url.replaceAll(/[{}]/g, ''), 'http://localhost')?.pathname ?? '').replace(/\/+$/, '');
}

function readSecuritySchemes(
  root: JsonObject,
  resolve: OpenApiDocument['resolve'],
): OpenApiDocument['securitySchemes'] {
  const schemes = {
    ...toObject(getMember(root, 'components', 'securitySchemes')),
    ...toObject(root.securityDefinitions),
  };
  return new Map(
    Object.entries(schemes).map(([key, value]) => {
      const scheme = resolve(value);
      const [type, location, name] = [getText(scheme.type), getText(scheme.in), getText(scheme.name)];
      return [key, { type, scheme: getText(scheme.scheme), location, name }];
    }),
  );
}

function readPath(path: string, item: JsonObject, context: ReadContext): readonly DocumentedOperation[] {
  return methods.flatMap((method) => {
    const operation = item[method];
    if (operation === undefined || !isObjectValue(operation)) return [];
    const all = [...listItems(item.parameters), ...listItems(operation.parameters)].map(context.resolve);
    const bodyParameters = all.filter((each) => ['body', 'formData'].includes(getText(each.in)));
    return [
      {
        ...{ method: method.toUpperCase(), path, id: getText(operation.operationId) },
        summary: getText(operation.summary),
        tags: listItems(operation.tags).map((tag) => getText(tag)),
        isDeprecated: operation.deprecated === true,
        parameters: mergeParameters(all.flatMap((each) => readParameter(each, context) ?? [])),
        bodies: context.isVersion2 ? readBodies2(bodyParameters, operation, context) : readBodies(operation, context),
        responses: readResponses(operation, context),
        security: readSecurity(operation.security ?? context.root.security),
      },
    ];
  });
}

/** A parameter of the operation replaces the one of its path. */
function mergeParameters(parameters: readonly ApiParameter[]): readonly ApiParameter[] {
  return [...new Map(parameters.map((each) => [`${each.location} ${each.name}`, each])).values()];
}

function readParameter(parameter: JsonObject, { resolve }: ReadContext): ApiParameter | undefined {
  const location = (['path', 'query', 'header', 'cookie'] as const).find((each) => each === parameter.in);
  if (!location) return undefined;
  const schema = resolve(parameter.schema ?? parameter);
  const [firstExample] = Object.values(toObject(parameter.examples));
  const example = parameter.example ?? getMember(resolve(firstExample), 'value') ?? readSchemaExample(schema);
  return {
    name: getText(parameter.name),
    location,
    isRequired: parameter.required === true || location === 'path',
    schema,
    example,
  };
}

/** What a schema says by itself; undefined where it says nothing. */
export function readSchemaExample(schema: JsonObject): Json | undefined {
  return schema.example ?? listItems(schema.examples)[0] ?? schema.default ?? schema.const ?? listItems(schema.enum)[0];
}

function readBodies(operation: JsonObject, { resolve }: ReadContext): readonly ApiBody[] {
  const content = toObject(resolve(operation.requestBody).content);
  return Object.entries(content).map(([type, value]) => {
    const media = toObject(value);
    const [firstExample] = Object.values(toObject(media.examples));
    const example = media.example ?? getMember(resolve(firstExample), 'value');
    return { type, schema: resolve(media.schema), example, encoding: toObject(media.encoding) };
  });
}

/** Version 2: one parameter `body`, or one `formData` for each field. */
function readBodies2(
  parameters: readonly JsonObject[],
  operation: JsonObject,
  { root, resolve }: ReadContext,
): readonly ApiBody[] {
  const [body] = parameters.filter((each) => each.in === 'body');
  const types = listItems(operation.consumes ?? root.consumes).map((type) => getText(type));
  const rest = { example: undefined, encoding: {} };
  if (body) return [{ type: types[0] ?? 'application/json', schema: resolve(body.schema), ...rest }];
  if (parameters.length === 0) return [];
  const properties = Object.fromEntries(parameters.map((each) => [getText(each.name), each]));
  const required = parameters.filter((each) => each.required === true).map((each) => getText(each.name));
  const urlencoded =
    types.find((each) => each.includes('urlencoded')) ?? types[0] ?? 'application/x-www-form-urlencoded';
  // A form has no files, whatever `consumes` lists first.
  const type = parameters.some((each) => each.type === 'file') ? 'multipart/form-data' : urlencoded;
  return [{ type, schema: { type: 'object', properties, required }, ...rest }];
}

function readResponses(operation: JsonObject, { root, resolve, isVersion2 }: ReadContext): readonly ApiResponse[] {
  return Object.entries(toObject(operation.responses)).map(([status, value]) => {
    const response = resolve(value);
    const produced = listItems(operation.produces ?? root.produces).map((type) => getText(type));
    const content = isVersion2
      ? response.schema === undefined
        ? []
        : [[produced[0] ?? 'application/json', resolve(response.schema)] as const]
      : Object.entries(toObject(response.content)).map(
          ([type, media]) => [type, resolve(getMember(media, 'schema'))] as const,
        );
    const links = Object.values(toObject(response.links)).map((link) => readLink(resolve(link)));
    return { status, content, links };
  });
}

function readLink(link: JsonObject): ApiLink {
  const parameters = Object.entries(toObject(link.parameters)).map(
    ([name, expression]) => [name, getText(expression)] as const,
  );
  return { operationId: getText(link.operationId), parameters };
}

/** Of alternatives the first; none where one of them is empty. */
function readSecurity(value: Json | undefined): readonly string[] {
  const alternatives = listItems(value).map((each) => Object.keys(toObject(each)));
  return alternatives.some((names) => names.length === 0) ? [] : (alternatives[0] ?? []);
}

/** The media type and schema of a JSON answer. */
export function findJsonSchema({ content }: ApiResponse): JsonObject | undefined {
  return content.find(([type]) => /^application\/(?:[\w.+-]+\+)?json\b/i.test(type))?.[1];
}

/** The first documented success, or else the first answer with a status. */
export function findMainResponse({ responses }: DocumentedOperation): ApiResponse | undefined {
  const numbered = responses.filter(({ status }) => /^[1-5](?:\d\d|XX)$/i.test(status));
  return numbered.find(({ status }) => status.startsWith('2')) ?? numbered[0] ?? responses[0];
}
