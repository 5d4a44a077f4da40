import t from 'tap';
import { variablesWithoutFlag } from '../../src/environment/variables.ts';
import { readSources } from '../source-files.ts';

t.test('every environment variable that the sources read by name is in the reference', async (t) => {
  const sources = readSources('src/**/*.{ts,tsx}');
  const ofFlags = sources.flatMap(({ lines }) =>
    [...lines.join('\n').matchAll(/\bvariable: '([A-Z][A-Z_]+)'/g)].map(([, name = '']) => name),
  );
  const documented = new Set([...ofFlags, ...variablesWithoutFlag.flatMap(({ name }) => name.split(', '))]);
  const names = sources.flatMap(({ code }) =>
    [...code.matchAll(/\bvariables\??\.([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name),
  );
  const read = new Set(names);
  t.ok(read.has('VP_TOKEN'));
  t.same(
    [...read].filter((name) => !documented.has(name)),
    [],
  );
});
