/**
 * Makes `validator.generated.js` and its `.d.ts` from the schema. Only the build calls this: loading and running ajv costs
 * about 70 ms (measured), the code it generates 1 ms, and `vp run --local` reads a config at each start.
 */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const note = [
  '// Generated from platform-config.schema.json by generate-validator.ts; `node build.mjs` writes it anew.',
  '// biome-ignore-all lint: generated',
  '// biome-ignore-all format: generated',
  '',
].join('\n');

/** The text of `validator.generated.js`; it needs nothing of ajv when it runs. */
export function validatorCode(): string {
  const text = readFileSync(new URL('platform-config.schema.json', import.meta.url), 'utf8');
  const schema: object = JSON.parse(text, withoutWords);
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
  ajv.addSchema(schema, 'config');
  return `${note}// @ts-nocheck\n${standalone.default(ajv, { validate: 'config' })}\n`;
}

/** What people read is no use to the code, which would carry all of it; `examples` is a list only where it is a keyword. */
function withoutWords(key: string, value: unknown): unknown {
  const words = (key === 'description' || key === 'title') && typeof value === 'string';
  return words || (key === 'examples' && Array.isArray(value)) ? undefined : value;
}

/** The text of `validator.generated.d.ts`. */
export function validatorTypes(): string {
  return `${note}/** What the schema says against a config. */
export type SchemaError = {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
};
/** True when \`config\` is as the schema wants it; else \`errors\` has every problem, until the next call. */
export declare const validate: {
  (config: unknown): boolean;
  errors: readonly SchemaError[] | null;
};
`;
}
