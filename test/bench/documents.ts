/** Large documents in this process: an OpenAPI document of 10 MB is read, and a schema of 500 KB judges bodies. */
import { createOpenApiReducer } from '../../src/check/open-api/reduce-document.ts';
import { createSchemaValidator } from '../../src/executor/response/schema-validator.ts';
import { importSource } from '../../src/import/import-source.ts';
import { parseDocumentText, readOpenApi } from '../../src/import/openapi/document.ts';
import { readPublishedDocument } from '../published-documents.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { type Row, under, withMaxRatio } from './row.ts';

const documentLength = 10_000_000;
const schemaLength = 500_000;
const bodies = 100;

/** Each operation has schemas of its own, until the text has its length. */
function createDocument(): string {
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `field_${index}`,
      { type: 'string', description: 'a field of the thing' },
    ]),
  );
  const operation = { description: 'x'.repeat(500), responses: { 200: response({ type: 'object', properties }) } };
  const count = Math.ceil(documentLength / (JSON.stringify(operation).length + 30));
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`/things${index}/{id}`, { get: operation }]),
  );
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'large' }, paths });
}

function response(schema: object) {
  return { description: 'done', content: { 'application/json': { schema } } };
}

function createSchema(): string {
  const item = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } };
  const count = Math.ceil(schemaLength / (JSON.stringify(item).length + 12));
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`part_${index}`, item]));
  return JSON.stringify({ type: 'object', properties });
}

async function readDocuments(rounds: number): Promise<Row> {
  const text = createDocument();
  const ofReading = series(() =>
    timed(async () => {
      if (!readOpenApi(await parseDocumentText({ name: 'large.json', text }))) throw new Error('it cannot be read');
    }),
  );
  const ofParse = series(() => timed(async () => JSON.parse(text)));
  await inTurns(rounds, [ofReading, ofParse], 1);
  const floor = { what: '`JSON.parse`', value: median(ofParse.samples) };
  return under({ measured: 'reading OpenAPI of 10 MB', value: median(ofReading.samples), unit: 'ms', floor }, 2000);
}

/** The first body compiles the schema; nothing is kept for the next sample. */
async function judgeBodies(rounds: number): Promise<Row> {
  const schema = createSchema();
  const judge = (count: number) =>
    series(() =>
      timed(async () => {
        const validate = createSchemaValidator();
        for (let index = 0; index < count; index += 1)
          if (validate(schema, { part_1: { id: index } }) !== undefined) throw new Error('the body is not valid');
      }),
    );
  const [ofMany, ofOne] = [judge(bodies), judge(1)];
  await inTurns(rounds, [ofMany, ofOne]);
  const floor = { what: 'one body', value: median(ofOne.samples) };
  const measured = `${bodies} bodies by a schema of 500 KB`;
  return withMaxRatio({ measured, value: median(ofMany.samples), unit: 'ms', floor }, 1.5);
}

/** Import, and the reduction for each operation; nothing where no registry has the document. */
async function importPublished(name: 'github' | 'stripe', rounds: number): Promise<Row[]> {
  const published = readPublishedDocument(name);
  if ('unreachable' in published) return [];
  const { text } = published;
  const { operations } = readOpenApi(JSON.parse(text)) ?? { operations: [] };
  const ofImport = series(() => timed(() => importSource('openapi', [{ name: `${name}.json`, text }])));
  const ofReduction = series(() =>
    timed(async () => {
      const reduce = createOpenApiReducer();
      for (const { method, path } of operations) reduce(text, [{ method, path }]);
    }),
  );
  const ofParse = series(() => timed(async () => JSON.parse(text)));
  await inTurns(rounds, [ofImport, ofReduction, ofParse], 1);
  const floor = { what: '`JSON.parse`', value: median(ofParse.samples) };
  const label = `${name}’s OpenAPI, ${operations.length.toLocaleString('en')} operations`;
  return [
    under({ measured: `importing ${label}`, value: median(ofImport.samples), unit: 'ms', floor }, 5000),
    { measured: `reducing ${label}`, value: median(ofReduction.samples), unit: 'ms', floor },
  ];
}

/** Up to six rows. */
export async function documents({ quick }: BenchContext): Promise<Row[]> {
  const rounds = quick ? 1 : 5;
  return [
    await readDocuments(rounds),
    await judgeBodies(rounds),
    ...(await importPublished('github', rounds)),
    ...(await importPublished('stripe', rounds)),
  ];
}
