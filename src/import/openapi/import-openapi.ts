/**
 * OpenAPI documents: one scenario for each operation, with the documented success as its checks. Ids of paths come from the document,
 * from the operation that creates such a thing, or from a variable.
 */
import { isList, isObjectValue, type Json, toStringForm } from '../../check/json/json.ts';
import type {
  HeaderLines,
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
  type ApiParameter,
  type DocumentedOperation,
  findJsonSchema,
  findMainResponse,
  type OpenApiDocument,
  parseDocumentText,
  readOpenApi,
} from './document.ts';
import { readBody } from './request-body.ts';
import { createExampleValue, createSchemaChecks } from './schema-values.ts';

export async function importOpenApi(
  files: readonly SourceFile[],
  report: ReportUntranslated,
): Promise<ImportedSource['chains']> {
  const chains: ImportedChain[] = [];
  for (const file of files) {
    const document = readOpenApi(await parseDocumentText(file));
    if (document) chains.push(...importDocument({ document, file: file.name, report }));
    else report(file.name, 'the file', 'it is not an OpenAPI document of version 2 or 3, in JSON or YAML');
  }
  return chains;
}

type ImportContext = {
  readonly document: OpenApiDocument;
  readonly file: string;
  readonly report: ReportUntranslated;
};

function importDocument(context: ImportContext): readonly ImportedChain[] {
  const findCreator = createCreatorFinder(context.document);
  return context.document.operations.flatMap((operation) => {
    const chain = toChain(operation, context, findCreator);
    return chain ? [chain] : [];
  });
}

const label = ({ method, path }: DocumentedOperation): string => `${method} ${path}`;

function toChain(
  operation: DocumentedOperation,
  context: ImportContext,
  findCreator: ReturnType<typeof createCreatorFinder>,
): ImportedChain | undefined {
  const creator = findCreator(operation);
  // What cannot be imported of these is reported where they are triggers.
  const silent = { ...context, report: () => {} };
  const steps = creator ? toRequest(creator.operation, silent, undefined) : undefined;
  const used = steps ? creator : undefined;
  const trigger = toRequest(operation, context, used);
  if (!trigger) return undefined;
  const created = used && steps ? [{ ...steps, checks: steps.checks.slice(0, 1), captures: [used.capture] }] : [];
  const removal = used?.removal && used.removal !== operation ? toRequest(used.removal, silent, used) : undefined;
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
  { document, file, report }: ImportContext,
  creator: Creator | undefined,
): ImportedRequest | undefined {
  const note = (item: string, reason: string) => report(label(operation), item, reason);
  const body = readBody(operation, { resolve: document.resolve, source: file, note });
  if (body && 'reason' in body) {
    note('the request', body.reason);
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
  const exampleValue = createExampleValue(schema, (value) =>
    value !== undefined && isObjectValue(value) ? value : {},
  );
  const isNamed =
    schema.type === 'string' || exampleValue === undefined || isList(exampleValue) || isObjectValue(exampleValue);
  return isNamed ? toVariable(name) : toStringForm(exampleValue);
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
    const parameter = parameters.find((each) => each.location === 'path' && each.name === name);
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

function fillParameters({ parameters }: DocumentedOperation, location: 'query' | 'header'): HeaderLines {
  return parameters
    .filter((each) => each.location === location && each.isRequired && !ownedHeaders.has(each.name.toLowerCase()))
    .map((each) => [each.name, fillParameter(each)] as const);
}

function fillCookies({ parameters }: DocumentedOperation): HeaderLines {
  const cookies = parameters.filter((each) => each.location === 'cookie' && each.isRequired);
  const pairs = cookies.map((each) => `${each.name}=${toVariable(each.name)}`);
  return pairs.length === 0 ? [] : [['Cookie', pairs.join('; ')]];
}

/** A bearer token comes from the config; keys and passwords are variables. */
function readCredentials({ security }: DocumentedOperation, { securitySchemes }: OpenApiDocument) {
  const headers: (readonly [string, string])[] = [];
  const query: (readonly [string, string])[] = [];
  for (const key of security) {
    const scheme = securitySchemes.get(key);
    if (scheme?.type === 'apiKey' && scheme.location === 'header') headers.push([scheme.name, toVariable(scheme.name)]);
    if (scheme?.type === 'apiKey' && scheme.location === 'query') query.push([scheme.name, toVariable(scheme.name)]);
    if (scheme?.type === 'apiKey' && scheme.location === 'cookie')
      headers.push(['Cookie', `${scheme.name}=${toVariable(scheme.name)}`]);
    const isBasic = scheme?.type === 'basic' || (scheme?.type === 'http' && /^basic$/i.test(scheme.scheme));
    if (isBasic) headers.push(['Authorization', 'Basic ${BASIC_CREDENTIALS}']);
  }
  return { headers: headers.filter(([name]) => name.toLowerCase() !== 'authorization' || headers.length > 0), query };
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
