/**
 * Writes `validator.generated.js` and its `.d.ts` from the schema. Only the build calls this: loading and running ajv
 * costs about 70 ms (measured), the code it generates 1 ms, and `vp run --local` reads a config at each start.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const here = (name: string): URL => new URL(name, import.meta.url);

const note = [
  '// Generated from platform-config.schema.json by generate-validator.ts; `node build.mjs` writes it anew.',
  '// biome-ignore-all lint: generated',
  '// biome-ignore-all format: generated',
  '',
].join('\n');

const declaration = `${note}/** What the schema says against \`config\`: empty where it holds. */
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

/** The generated files, by URL. */
export function validatorFiles(): Map<URL, string> {
  const schema: object = JSON.parse(readFileSync(here('platform-config.schema.json'), 'utf8'), withoutWords);
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
  ajv.addSchema(schema, 'config');
  const code = standalone.default(ajv, { validate: 'config' });
  return new Map([
    [here('validator.generated.js'), `${note}// @ts-nocheck\n${code}\n`],
    [here('validator.generated.d.ts'), declaration],
  ]);
}

/** What people read is no use to the code, which would carry all of it; `examples` is a list only where it is a keyword. */
function withoutWords(key: string, value: unknown): unknown {
  const words =
    ((key === 'description' || key === 'title') && typeof value === 'string') ||
    (key === 'examples' && Array.isArray(value));
  return words ? undefined : value;
}

/** Writes them; with `check` writes nothing and gives the names of those that are stale. */
export function generateValidator({ check }: { check: boolean }): string[] {
  const stale = [...validatorFiles()].filter(([url, text]) => textOf(url) !== text);
  if (!check) for (const [url, text] of stale) writeFileSync(url, text);
  return stale.map(([url]) => url.pathname);
}

function textOf(url: URL): string | undefined {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return undefined;
  }
}
