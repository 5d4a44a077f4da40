/**
 * Generates `validator.generated.js` and its `.d.ts` from the schema. Only the build calls this: loading and running
 * ajv costs about 70 ms (measured), the generated code 1 ms, and `vp run --local` reads a config at each start.
 */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const header = [
  '// Generated from platform-config.schema.json by generate-validator.ts; `node build.mjs` regenerates it.',
  '// biome-ignore-all lint: generated',
  '// biome-ignore-all format: generated',
  '',
].join('\n');

/** The text of `validator.generated.js`, which does not depend on ajv. */
export function generateValidatorCode(): string {
  const text = readFileSync(new URL('platform-config.schema.json', import.meta.url), 'utf8');
  const schema: object = JSON.parse(text, dropTexts);
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
  ajv.addSchema(schema, 'config');
  return `${header}// @ts-nocheck\n${standalone.default(ajv, { validate: 'config' })}\n`;
}

/** Drops texts for people, which the code does not need; `examples` is a list only where it is a keyword. */
function dropTexts(key: string, value: unknown): unknown {
  const isText = (key === 'description' || key === 'title') && typeof value === 'string';
  return isText || (key === 'examples' && Array.isArray(value)) ? undefined : value;
}

/** The text of `validator.generated.d.ts`. */
export function generateValidatorTypes(): string {
  const types = [
    '/** A violation that the validator reports. */',
    'export type SchemaError = {',
    '  readonly instancePath: string;',
    '  readonly keyword: string;',
    '  readonly params: Readonly<Record<string, unknown>>;',
    '};',
    '/** True when `config` matches the schema; otherwise `errors` has every violation, until the next call. */',
    'export declare const validate: {',
    '  (config: unknown): boolean;',
    '  errors: readonly SchemaError[] | null;',
    '};',
    '',
  ];
  return header + types.join('\n');
}
