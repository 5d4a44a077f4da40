/** Validators of the schemas in the sources, compiled ahead: ajv takes 40 ms for a report, and as long to be loaded. */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Modules that create validators when they are loaded. */
const creators = /from '[^']*\/(?:validator|route|tool|request-reader)\.ts'/;

/** The schemas of every validator that the sources create when they are loaded. */
async function collectSchemas() {
  const files = globSync('src/**/*.ts').filter((file) => creators.test(readFileSync(file, 'utf8')));
  for (const file of files) await import(resolve(file));
  const { knownSchemas } = await import('./src/http/schema/validator.ts');
  return knownSchemas;
}

/** The code of each validator, by the key of its schema. */
export async function generateChecks() {
  const schemas = await collectSchemas();
  const { createAjv, toCompiledSchema } = await import('./src/http/schema/compile-schema.ts');
  const { getSchemaKey } = await import('./src/http/schema/validator.ts');
  const { default: standalone } = await import('ajv/dist/standalone/index.js');
  // A CommonJS module, which exports what `compileSchema(schema, false)` returns.
  const generate = (schema) => {
    const ajv = createAjv(false, true);
    return standalone.default(ajv, ajv.compile(toCompiledSchema(schema)));
  };
  return new Map([...schemas].map((schema) => [getSchemaKey(schema), generate(schema)]));
}

/** The text of a module that exports `compileSchema` of compile-schema.ts. `checks` are those of {@link generateChecks}. */
function formatCompiledSchemas(checks) {
  const entries = [...checks].map(
    ([key, code]) => `'${key}': () => { const module = { exports: {} };\n${code}\nreturn module.exports; },`,
  );
  return `
    import { getSchemaKey } from './validator.ts';
    const checks = {\n${entries.join('\n')}\n};
    export function compileSchema(schema, allErrors) {
      const create = allErrors ? undefined : checks[getSchemaKey(schema)];
      return create ? create() : require('./compile-schema.ts').compileSchema(schema, allErrors);
    }`;
}

/** Puts them in the place of compile-schema.ts for validator.ts. */
export function compiledSchemas(checks) {
  return {
    name: 'compiled-schemas',
    setup(bundle) {
      bundle.onResolve({ filter: /^\.\/compile-schema\.ts$/ }, ({ importer }) =>
        /[\\/]validator\.ts$/.test(importer) ? { path: 'compile-schema', namespace: 'compiled-schemas' } : undefined,
      );
      bundle.onLoad({ filter: /.*/, namespace: 'compiled-schemas' }, () => ({
        contents: formatCompiledSchemas(checks),
        resolveDir: resolve('src/http/schema'),
      }));
    },
  };
}
