/** Build step, no browser code: what the bundles of the console and of the dashboard share. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';

/** Browsers of the last two years. */
export const browserTargets = ['chrome119', 'firefox121', 'safari17.4'];

/** Returns the size of all scripts of a bundle together, gzipped. */
export function sumScriptBytes({ outputs }: Metafile): number {
  const scripts = Object.keys(outputs).filter((file) => file.endsWith('.js'));
  return scripts.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
}

/** By a pattern of the path of pages: the source of the part that the main script loads for them. */
export type LazyPages = Readonly<Record<string, string>>;

/**
 * Writes `index.html` with the names of its files and a `modulepreload` link for each static import of the main script.
 * `{{startScript}}` is the start script, written in the page itself with the files of each of `lazyPages`.
 */
export function writeHtmlPage(metafile: Metafile, folder: string, template: string, lazyPages: LazyPages = {}): void {
  const { outputs } = metafile;
  const toRelative = (file: string): string => file.slice(folder.length + 1);
  const findOutput = (name: string): string =>
    Object.keys(outputs).find((file) => toRelative(file).startsWith(`assets/${name}-`)) ?? '';
  const main = findOutput('main');
  const shared = listStaticImports(metafile, main);
  const preloads = shared.map((path) => `<link rel="modulepreload" href="/${toRelative(path)}" />`).join('');
  const parts = Object.entries(lazyPages).map(([pattern, source]) => {
    const part = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === source);
    if (part === undefined) throw new Error(`${source} is no part of its own`);
    const files = [part, ...listStaticImports(metafile, part)].filter(
      (file) => file !== main && !shared.includes(file),
    );
    return [pattern, files.map((file) => `/${toRelative(file)}`)];
  });
  const placeholders: Record<string, string> = {
    main: toRelative(main),
    preloads,
    startScript: `<script data-parts='${JSON.stringify(Object.fromEntries(parts))}'>${readScriptText(findOutput('start'))}</script>`,
  };
  for (const name of ['start', 'style']) placeholders[name] = toRelative(findOutput(name));
  const page = readFileSync(template, 'utf8').replaceAll(
    /\{\{(\w+)\}\}/g,
    (placeholder, name) => placeholders[name] ?? placeholder,
  );
  writeFileSync(`${folder}/index.html`, page);
}

/** The scripts that are loaded with `file`, whose own imports are among them. */
function listStaticImports({ outputs }: Metafile, file: string): readonly string[] {
  const loaded = new Set([file]);
  for (const name of loaded)
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === 'import-statement') loaded.add(path);
  return [...loaded].slice(1);
}

function readScriptText(file: string): string {
  const text = readFileSync(file, 'utf8').trim();
  if (/<\/script|<!--/i.test(text)) throw new Error('the script would end its own element');
  return text;
}
