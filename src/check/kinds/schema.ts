import type { CheckKind } from '../check-kind.ts';
import { explainMissingBody } from '../forms/body-value.ts';
import { createDocumentSubject } from '../forms/file-form.ts';
import { isList, isObject, type Json, Numeral } from '../json/json.ts';
import { formatPointer } from '../json/list-walk.ts';

/** `schema` is the text of the file, undefined until it is read. */
export type SchemaCheck = { readonly kind: 'schema'; readonly file: string; readonly schema?: string };

const form = /^body\s+matches\s+schema\s+(\S+)$/;

/** As JSON Schema sees it: numbers are numbers, however they are written. Secrets are concealed, which a pattern could guess. */
function toPlainValue(value: Json, conceal: ((text: string) => string) | undefined): unknown {
  if (typeof value === 'string') return conceal?.(value) ?? value;
  if (value instanceof Numeral) return Number(value.text);
  if (isList(value)) return value.map((element) => toPlainValue(element, conceal));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, toPlainValue(child, conceal)]));
}

/** `body matches schema <file>`: JSON Schema 2020-12. */
export const schemaKind: CheckKind<SchemaCheck> = {
  kind: 'schema',
  form: 'body matches schema <file.json>',
  meaning:
    'the JSON body is valid for the JSON Schema (2020-12) of the file, formats such as `date-time` included; `$ref` leads only to parts of the file, and patterns are RE2',
  example: 'body matches schema order.schema.json',
  looksAt: 'response',
  counted: true,
  parse(text) {
    const file = form.exec(text)?.[1];
    return file === undefined ? undefined : { kind: 'schema', file };
  },
  getFile: ({ file }) => file,
  withFile(check, text) {
    try {
      const schema: unknown = JSON.parse(text);
      const isSchema = typeof schema === 'boolean' || (typeof schema === 'object' && schema !== null);
      if (!isSchema || Array.isArray(schema)) return 'it is not a JSON Schema, which is an object';
      return { ...check, schema: text };
    } catch {
      return 'it is not JSON';
    }
  },
  judge({ file, schema }, { body, conceal, validateSchema }) {
    const expected = `a body that matches \`${file}\``;
    if (body.kind !== 'json') return { passed: false, expected, actual: explainMissingBody(body) };
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
