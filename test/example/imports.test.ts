import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const packages = new Set(['hono', '@hono/node-server', 'pg']);
const getPackageName = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

t.test('the example is an independent application: it imports nothing of the product', async (t) => {
  const cwd = fileURLToPath(new URL('../../compose/example/', import.meta.url));
  const files = globSync('**/*.ts', { cwd });
  t.ok(files.length > 20);
  for (const file of files) {
    const text = readFileSync(join(cwd, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from |import\(|^import )'([^']+)'/gm)) {
      const inside = name.startsWith('.') && new URL(name, `file:///example/${file}`).pathname.startsWith('/example/');
      t.ok(inside || isBuiltin(name) || packages.has(getPackageName(name)), `${file} imports ${name}`);
    }
  }
});
