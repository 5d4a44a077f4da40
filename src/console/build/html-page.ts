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

/** Writes `index.html` with the names of its files and a `modulepreload` link for each static import of the main script. */
export function writeHtmlPage({ outputs }: Metafile, folder: string, template: string): void {
  const toRelative = (file: string): string => file.slice(folder.length + 1);
  const findOutput = (name: string): string =>
    Object.keys(outputs).find((file) => toRelative(file).startsWith(`assets/${name}-`)) ?? '';
  const main = findOutput('main');
  const staticImports = (outputs[main]?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  const preloads = staticImports.map(({ path }) => `<link rel="modulepreload" href="/${toRelative(path)}" />`).join('');
  const placeholders: Record<string, string> = { main: toRelative(main), preloads };
  for (const name of ['start', 'style']) placeholders[name] = toRelative(findOutput(name));
  const page = readFileSync(template, 'utf8').replaceAll(
    /\{\{(\w+)\}\}/g,
    (placeholder, name) => placeholders[name] ?? placeholder,
  );
  writeFileSync(`${folder}/index.html`, page);
}
