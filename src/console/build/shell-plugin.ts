/**
 * Build step, no browser code: everything that the first page needs becomes one file. esbuild divides code by which of the
 * entry points and dynamic imports reach it, which gave the first page 40 files of mostly less than 1 KB, each a request of its
 * own before anything is painted. So each part that is loaded later imports the whole shell, which is loaded before it anyway.
 */
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { Loader, Metafile, Plugin } from 'esbuild';

const shellFile = resolve('src/console/app.tsx');
const loaders: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.tsx': 'tsx' };

/** The sources that `metafile`, of the same bundle, names as parts that are loaded later. */
export function listLazyParts({ outputs }: Metafile): readonly string[] {
  const lazy = Object.values(outputs).flatMap(({ imports }) =>
    imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? (outputs[path]?.entryPoint ?? []) : [])),
  );
  return [...new Set(lazy)].filter((file) => extname(file) in loaders);
}

/** Lets each of `parts` import the shell. */
export function createShellPlugin(parts: readonly string[]): Plugin {
  const files = new Set(parts.map((file) => resolve(file)));
  return {
    name: 'shell',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const loader = loaders[extname(path)];
        if (!loader || !files.has(path)) return undefined;
        return { contents: `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(shellFile)};\n`, loader };
      }),
  };
}
