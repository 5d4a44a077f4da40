/** Validators that the build compiles accept the same values as those that ajv compiles at run time, with the same errors. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type TSchema, Type } from '@sinclair/typebox';
import { build, type Plugin } from 'esbuild';
import t from 'tap';
import { CompleteRequest, PollRequest } from '../../../src/contract/executor-api.ts';
import { compileSchema } from '../../../src/http/schema/compile-schema.ts';
import { toDraft2020 } from '../../../src/http/schema/draft-2020.ts';
import { getSchemaKey, knownSchemas, type Validator } from '../../../src/http/schema/validator.ts';
import { changeValue, createValue } from './schema-values.ts';

type BuildValidators = {
  generateChecks(): Promise<Map<string, string>>;
  compiledSchemas(checks: ReadonlyMap<string, string>): Plugin;
};
type Check = ReturnType<typeof compileSchema>;
type PackedValidators = {
  createValidator<T>(schema: TSchema): Validator<T>;
  compileSchema(schema: TSchema, allErrors: boolean): Check;
};

const require = createRequire(import.meta.url);
const { generateChecks, compiledSchemas }: BuildValidators = await import(
  new URL('../../../build-validators.mjs', import.meta.url).href
);
const checks = await generateChecks();

const ajvMark = 'ajv-is-loaded';
const markAjv: Plugin = {
  name: 'mark-ajv',
  setup: (bundle) =>
    bundle.onLoad({ filter: /[\\/]ajv[\\/]dist[\\/]2020\.js$/ }, ({ path }) => ({
      contents: `require('${ajvMark}');\n${readFileSync(path, 'utf8')}`,
    })),
};

/** validator.ts as in the packed program, and what it compiles schemas with. `isAjvLoaded`: until now. */
async function bundleValidators() {
  const contents = `export * from './src/http/schema/validator.ts';
    export { compileSchema } from 'packed-compile-schema';`;
  const plugin: Plugin = {
    name: 'packed-compile-schema',
    setup: (bundle) =>
      bundle.onResolve({ filter: /^packed-compile-schema$/ }, () => ({
        ...{ path: 'compile-schema', namespace: 'compiled-schemas' },
      })),
  };
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    ...{ bundle: true, format: 'cjs', platform: 'node', write: false, external: [ajvMark] },
    plugins: [plugin, compiledSchemas(checks), markAjv],
  });
  let isAjvLoaded = false;
  const requireMarked = (name: string): unknown => {
    if (name !== ajvMark) return require(name);
    isAjvLoaded = true;
    return {};
  };
  const module = { exports: {} };
  new Function('module', 'exports', 'require', outputFiles[0]?.text ?? '')(module, module.exports, requireMarked);
  const packed: PackedValidators = Object(module.exports);
  return { ...packed, isAjvLoaded: () => isAjvLoaded };
}

const judge = (check: Check, value: unknown) => ({ isValid: check(value), errors: check.errors });

const changesPerSchema = 60;

t.test('generated values are accepted or refused by both alike', async (t) => {
  const packed = await bundleValidators();
  const counts = { accepted: 0, refused: 0 };
  for (const schema of knownSchemas) {
    const known = compileSchema(schema, false);
    const compiled = packed.compileSchema(schema, false);
    const value = createValue(toDraft2020(schema));
    for (let number = -1; number < changesPerSchema; number += 1) {
      const changed = number < 0 ? value : changeValue(value, number);
      const expected = judge(known, changed);
      counts[expected.isValid ? 'accepted' : 'refused'] += 1;
      const result = judge(compiled, changed);
      if (JSON.stringify(result) !== JSON.stringify(expected)) t.same(result, expected, JSON.stringify(schema));
    }
  }
  t.notOk(packed.isAjvLoaded(), 'every schema was compiled by the build');
  t.ok(knownSchemas.size > 100, `${knownSchemas.size} schemas`);
  t.ok(counts.accepted > 500 && counts.refused > 5000, JSON.stringify(counts));
});

t.test('most schemas accept the value that is generated for them', async (t) => {
  const refused = [...knownSchemas].filter((schema) => !compileSchema(schema, false)(createValue(toDraft2020(schema))));
  t.ok(refused.length < knownSchemas.size / 10, `${refused.length} of ${knownSchemas.size} are refused`);
});

t.test('the packed program loads ajv for all errors of a value, and for schemas of no source', async (t) => {
  const { createValidator, isAjvLoaded } = await bundleValidators();
  for (const schema of [CompleteRequest, PollRequest]) {
    const validator = createValidator(schema);
    t.ok(validator.isValid(createValue(toDraft2020(schema))));
    t.notOk(validator.isValid({}));
    t.equal(validator.listViolations({}, false).length, 1);
  }
  t.notOk(isAjvLoaded());
  t.ok(createValidator(PollRequest).listViolations({}, true).length > 1);
  t.ok(isAjvLoaded());
  t.notOk(createValidator(Type.String({ maxLength: 31 })).isValid(7));
});

t.test('a schema of another form has another key', async (t) => {
  t.not(getSchemaKey(Type.Integer({ minimum: 1 })), getSchemaKey(Type.Integer({ minimum: 2 })));
  t.equal(getSchemaKey(structuredClone(PollRequest)), getSchemaKey(PollRequest));
});
