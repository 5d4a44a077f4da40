/** The database engine stands behind the types of store/: no other room knows SQLite or writes SQL. */
import { posix } from 'node:path';
import t from 'tap';
import { findBreaches, readSources, type SourceFile } from '../source-files.ts';

const sources = readSources('src/**/*.{ts,tsx}');

function resolveImports({ file, imports }: SourceFile): string[] {
  return imports.filter((name) => name.startsWith('.')).map((name) => posix.join(posix.dirname(file), name));
}

t.test('only store/sqlite imports the database library', async (t) => {
  const others = sources.filter(({ file }) => !file.startsWith('src/store/sqlite/'));
  t.ok(others.length < sources.length);
  t.same(
    findBreaches(others, ({ imports }) => imports.filter((name) => /sqlite/.test(name) && !name.startsWith('.'))),
    [],
  );
});

t.test('only store/engine.ts imports store/sqlite', async (t) => {
  const others = sources.filter(({ file }) => !file.startsWith('src/store/sqlite/') && file !== 'src/store/engine.ts');
  t.same(
    findBreaches(others, (source) => resolveImports(source).filter((path) => path.startsWith('src/store/sqlite/'))),
    [],
  );
});

t.test('rooms that use the store pass statements on and write none', async (t) => {
  const users = sources.filter(
    (source) => source.folder !== 'store' && resolveImports(source).some((path) => path.startsWith('src/store/')),
  );
  t.ok(users.length > 50);
  // `ahead` takes operations of the store, not the text of a statement.
  t.same(
    findBreaches(users, ({ code }) => code.match(/\bsql\.(?!ahead\()\w+\(|\bPRAGMA\b|\bMATCH \?/g) ?? []),
    [],
  );
  t.same(
    findBreaches(
      users,
      ({ lines }) =>
        lines.join('\n').match(/\bSELECT .+ FROM\b|\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+ SET\b/g) ?? [],
    ),
    [],
  );
});
