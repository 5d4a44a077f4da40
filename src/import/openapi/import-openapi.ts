/**
 * OpenAPI documents: one scenario for each operation, with the documented success as its checks. Ids of paths come from the document,
 * from the operation that creates such a thing, or from a variable.
 */
import { isList, isObjectValue, type Json, toStringForm } from '../../check/json/json.ts';
import type {
  HeaderLines,
  ImportedBody,
  ImportedChain,
  ImportedRequest,
  ImportedSource,
  ReportUntranslated,
  SourceFile,
} from '../imported.ts';
import { escapeLiterals, toPlaceholderName } from '../placeholder-names.ts';
import { toTag } from '../postman/import-postman.ts';
import { type Creator, createCreatorFinder } from './creators.ts';
import {
  type ApiBody,
  type ApiParameter,
  type DocumentedOperation,
  findJsonSchema,
  findMainResponse,
  type OpenApiDocument,
  parseDocumentText,
  readOpenApi,
} from './document.ts';
import { createExampleValue, createSchemaChecks } from './schema-values.ts';

export async function importOpenApi(
  files: readonly SourceFile[],
  report: ReportUntranslated,
): Promise<ImportedSource['chains']> {
  const chains: ImportedChain[] = [];
  for (const file of files) {
    const document = readOpenApi(await parseDocumentText(file));
    if (document) chains.push(...importDocument(document, report));
    else report(file.name, 'the file', 'it is not an OpenAPI document of version 2 or 3, in JSON or YAML');
  }
  return chains;
}

function importDocument(document: OpenApiDocument, report: ReportUntranslated): readonly ImportedChain[] {
  const findCreator = createCreatorFinder(document);
  return document.operations.flatMap((operation) => {
    const chain = toChain(operation, document, findCreator, report);
    return chain ? [chain] : [];
  });
}

const label = ({ method, path }: DocumentedOperation): string => `${method} ${path}`;

function toChain(
  operation: DocumentedOperation,
  document: OpenApiDocument,
  findCreator: ReturnType<typeof createCreatorFinder>,
  report: ReportUntranslated,
): ImportedChain | undefined {
  const creator = findCreator(operation);
  // What cannot be imported of these is reported where they are triggers.
  const steps = creator ? toRequest(creator.operation, document, undefined, () => {}) : undefined;
  const used = steps ? creator : undefined;
  const trigger = toRequest(operation, document, used, report);
  if (!trigger) return undefined;
  const created = used && steps ? [{ ...steps, checks: steps.checks.slice(0, 1), captures: [used.capture] }] : [];
  const removal =
    used?.removal && used.removal !== operation ? toRequest(used.removal, document, used, () => {}) : undefined;
  const tags = [
    'http',
    ...operation.tags.slice(0, 1).map(toTag).filter(Boolean),
    ...(operation.isDeprecated ? ['deprecated'] : []),
  ];
  return {
    name: operation.id === '' ? undefined : operation.id,
    summary: operation.summary === '' ? undefined : operation.summary,
    tags: [...new Set(tags)],
    steps: created,
    trigger,
    cleanup: removal && operation.method !== 'DELETE' ? [{ ...removal, checks: removal.checks.slice(0, 1) }] : [],
  };
}

function toRequest(
  operation: DocumentedOperation,
  document: OpenApiDocument,
  creator: Creator | undefined,
  report: ReportUntranslated,
): ImportedRequest | undefined {
  const body = readBody(operation, document);
  if (body && 'reason' in body) {
    report(label(operation), 'the request', body.reason);
    return undefined;
  }
  const { headers, query } = readCredentials(operation, document);
  return {
    ...{ label: label(operation), method: operation.method, captures: [], responses: [] },
    url: `${fillPath(operation, creator)}${joinQuery([...fillParameters(operation, 'query'), ...query])}`,
    headers: [
      ...(body ? body.headers : []),
      ...fillParameters(operation, 'header'),
      ...fillCookies(operation),
      ...headers,
    ],
    body: body?.body,
    checks: createChecks(operation, document),
  };
}

/** The value of a parameter, or a placeholder for it. */
function fillParameter({ name, example, schema }: ApiParameter): string {
  if (example !== undefined && example !== null) return formatParameter(example);
  const made = createExampleValue(schema, (value) => (value !== undefined && isObjectValue(value) ? value : {}));
  const isNamed = schema.type === 'string' || made === undefined || isList(made) || isObjectValue(made);
  return isNamed ? toVariable(name) : toStringForm(made);
}

function toVariable(name: string): string {
  return `\${${toPlaceholderName(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase())}}`;
}

function formatParameter(value: Json): string {
  return escapeLiterals(isList(value) ? value.map(toStringForm).join(',') : toStringForm(value));
}

/** An id without an example is a variable: a number made up would be the id of nothing. */
function fillPath({ path, parameters }: DocumentedOperation, creator: Creator | undefined): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    if (creator?.parameter === name) return `\${${creator.capture.name}}`;
    const parameter = parameters.find((each) => each.place === 'path' && each.name === name);
    const example = parameter?.example;
    const isUsable =
      example !== undefined && example !== null && !isObjectValue(example) && toStringForm(example) !== '';
    return isUsable ? encodePath(formatParameter(example)) : toVariable(name);
  });
}

function encodePath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/');
}

function encode(text: string): string {
  return text
    .split(/(\$\{\w+\})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('');
}

function joinQuery(pairs: HeaderLines): string {
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`;
}

const ownedHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

function fillParameters({ parameters }: DocumentedOperation, place: 'query' | 'header'): HeaderLines {
  return parameters
    .filter((each) => each.place === place && each.isRequired && !ownedHeaders.has(each.name.toLowerCase()))
    .map((each) => [each.name, fillParameter(each)] as const);
}

function fillCookies({ parameters }: DocumentedOperation): HeaderLines {
  const cookies = parameters.filter((each) => each.place === 'cookie' && each.isRequired);
  const pairs = cookies.map((each) => `${each.name}=${toVariable(each.name)}`);
  return pairs.length === 0 ? [] : [['Cookie', pairs.join('; ')]];
}

/** A bearer token comes from the config; keys and passwords are variables. */
function readCredentials({ security }: DocumentedOperation, { securitySchemes }: OpenApiDocument) {
  const headers: (readonly [string, string])[] = [];
  const query: (readonly [string, string])[] = [];
  for (const key of security) {
    const scheme = securitySchemes.get(key);
    if (scheme?.type === 'apiKey' && scheme.place === 'header') headers.push([scheme.name, toVariable(scheme.name)]);
    if (scheme?.type === 'apiKey' && scheme.place === 'query') query.push([scheme.name, toVariable(scheme.name)]);
    if (scheme?.type === 'apiKey' && scheme.place === 'cookie')
      headers.push(['Cookie', `${scheme.name}=${toVariable(scheme.name)}`]);
    const isBasic = scheme?.type === 'basic' || (scheme?.type === 'http' && /^basic$/i.test(scheme.scheme));
    if (isBasic) headers.push(['Authorization', 'Basic ${BASIC_CREDENTIALS}']);
  }
  return { headers: headers.filter(([name]) => name.toLowerCase() !== 'authorization' || headers.length > 0), query };
}

type RequestBody = { readonly body: ImportedBody; readonly headers: HeaderLines };

function readBody(
  { bodies }: DocumentedOperation,
  { resolve }: OpenApiDocument,
): RequestBody | { readonly reason: string } | undefined {
  if (bodies.length === 0) return undefined;
  const find = (form: RegExp): ApiBody | undefined => bodies.find(({ type }) => form.test(type));
  const json = find(/^application\/(?:[\w.+-]+\+)?json\b|^\*\/\*/i);
  if (json) {
    const value = json.example ?? createExampleValue(json.schema, resolve) ?? {};
    const type = json.type.includes('*') ? 'application/json' : json.type;
    return {
      body: { kind: 'text', text: escapeLiterals(JSON.stringify(value, undefined, 2)) },
      headers: [['Content-Type', type]],
    };
  }
  const form = find(/^application\/x-www-form-urlencoded/i);
  if (form) {
    const value = form.example ?? createExampleValue(form.schema, resolve) ?? {};
    const fields = isObjectValue(value)
      ? Object.entries(value).map(([name, each]) => [name, formatParameter(each)] as const)
      : [];
    return fields.length === 0 ? undefined : { body: { kind: 'form', fields }, headers: [] };
  }
  const [other] = bodies;
  if (typeof other?.example === 'string')
    return { body: { kind: 'text', text: escapeLiterals(other.example) }, headers: [['Content-Type', other.type]] };
  return { reason: `a body of the type ${other?.type ?? ''} without an example is not imported` };
}

/** The documented success: status, media type, and what its schema requires. */
function createChecks(operation: DocumentedOperation, { resolve }: OpenApiDocument): readonly string[] {
  const response = findMainResponse(operation);
  if (!response) return ['status=2xx'];
  const { status, content } = response;
  const code = /^\d{3}$/.test(status) ? status : /^[1-5]XX$/i.test(status) ? status.toLowerCase() : '2xx';
  const [first] = content;
  const isOne =
    content.length === 1 && first !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(first[0]) && operation.method !== 'HEAD';
  const type = isOne ? [`header Content-Type containing ${first[0]}`] : [];
  const schema = findJsonSchema(response);
  const body = schema === undefined || operation.method === 'HEAD' ? [] : createSchemaChecks(schema, resolve);
  return [`status=${code}`, ...type, ...body];
}
