import type { CheckKind } from '../check-kind.ts';
import { explainMissingBody } from '../forms/body-value.ts';
import { createDocumentSubject } from '../forms/file-form.ts';
import { isList, isObjectValue, type Json, Numeral } from '../json/json.ts';
import { formatPointer } from '../json/list-walk.ts';
import { type DocumentRequest, findOperation, isOpenApi, type OpenApiDescription } from '../open-api/document.ts';
import { findMisspelledKeyword, judgingKeywords } from '../open-api/misspelled-keywords.ts';
import { isJsonObject, type PlainObject } from '../open-api/plain-json.ts';
import {
  findResponseSchema,
  otherContentSchema,
  type ResponseSchemas,
  readResponseSchemas,
} from '../open-api/response-schemas.ts';

/** The text of the schema, or those of the operation's responses; neither until the file is read. */
export type SchemaCheck = {
  readonly kind: 'schema';
  readonly file: string;
  readonly schema?: string;
  readonly responses?: ResponseSchemas;
};

const isYamlName = (file: string): boolean => /\.ya?ml$/i.test(file);

const form = /^body\s+matches\s+schema\s+(\S+)$/;

/** As JSON Schema sees it: numbers are numbers, however they are written. Secrets are concealed, which a pattern could guess. */
function toPlainValue(value: Json, conceal: ((text: string) => string) | undefined): unknown {
  if (typeof value === 'string') return conceal?.(value) ?? value;
  if (value instanceof Numeral) return Number(value.text);
  if (isList(value)) return value.map((element) => toPlainValue(element, conceal));
  if (!isObjectValue(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, toPlainValue(child, conceal)]));
}

function withOperation(
  check: SchemaCheck,
  document: OpenApiDescription,
  request: DocumentRequest | undefined,
): SchemaCheck | string {
  const operation = request && findOperation(document, request);
  if (!operation) return `it has no operation ${request?.method ?? ''} ${request?.path ?? ''}`.trimEnd();
  const responses = readResponseSchemas(document, operation);
  return responses.size === 0 ? 'its operation has no responses' : { ...check, responses };
}

/** Every body would be valid for it. `{}` and `true` say that on purpose. */
function explainUnusable(schema: boolean | PlainObject): string | undefined {
  const names = Object.keys(schema);
  if (typeof schema === 'boolean' || names.length === 0 || names.some((name) => judgingKeywords.has(name)))
    return undefined;
  if (names.includes('openapi') || names.includes('swagger'))
    return 'it is not an OpenAPI 3.0 or 3.1 document with paths';
  return 'it has no keyword of JSON Schema';
}

/** `body matches schema <file>`: JSON Schema 2020-12, or the OpenAPI document of the target. */
export const schemaKind: CheckKind<SchemaCheck> = {
  kind: 'schema',
  form: 'body matches schema <file.json>',
  meaning:
    'the JSON body is valid for the JSON Schema (2020-12) of the file, formats such as `date-time` included; `$ref` leads only to parts of the file, and patterns are RE2; misspelled keywords are refused; the file may be YAML. Of an OpenAPI 3.0 or 3.1 document it is the schema of the request’s operation and of the status that came, which the document must have',
  example: 'body matches schema order.schema.json',
  looksAt: 'response',
  counted: true,
  parse(text) {
    const file = form.exec(text)?.[1];
    return file === undefined ? undefined : { kind: 'schema', file };
  },
  getFile: ({ file }) => file,
  withFile(check, text, request) {
    try {
      const schema: unknown = JSON.parse(text);
      if (isOpenApi(schema)) return withOperation(check, schema, request);
      if (typeof schema !== 'boolean' && !isJsonObject(schema)) return 'it is not a JSON Schema, which is an object';
      return findMisspelledKeyword(schema) ?? explainUnusable(schema) ?? { ...check, schema: text };
    } catch {
      return isYamlName(check.file) ? 'it is not YAML, which is read in the folder of the tests' : 'it is not JSON';
    }
  },
  judge(check, { body, conceal, validateSchema, status }) {
    const { file, responses } = check;
    const schema = responses ? findResponseSchema(responses, status) : check.schema;
    const expected = responses
      ? `a response that \`${file}\` has for status ${status}`
      : `a body that matches \`${file}\``;
    if (responses && schema === undefined)
      return { passed: false, expected, actual: 'the document has no response for this status' };
    if (schema === null) {
      const passed = body.kind === 'empty';
      return { passed, expected, actual: passed ? 'no body' : 'a body, and the document has no JSON body for it' };
    }
    if (body.kind !== 'json') return { passed: false, expected, actual: explainMissingBody(body) };
    if (responses && schema === otherContentSchema)
      return { passed: false, expected, actual: 'a JSON body, and the document has no JSON body for it' };
    if (schema === undefined || !validateSchema) return { passed: false, expected, actual: 'the schema was not read' };
    const problem = validateSchema(schema, toPlainValue(body.value, conceal));
    if (!problem) return { passed: true, expected, actual: 'it matches', pointer: '' };
    if (problem.pointer === undefined) return { passed: false, expected, actual: problem.message };
    const where = problem.pointer === '' ? 'the body' : formatPointer(problem.pointer);
    return { passed: false, expected, actual: `${where} ${problem.message}`, pointer: problem.pointer };
  },
  getSubject: (_check, observation, outcome) => createDocumentSubject(observation, outcome),
  readingCost: 30,
};
