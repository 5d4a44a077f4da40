/** Build step (see build.mjs), no browser code: the console's pages, styles and `index.html` as files to be served. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { pageErrors } from './bundle-errors.ts';
import { pagePatterns } from './bundle-patterns.ts';
import { bundleDashboard } from './dashboard/bundle.ts';

/** Browsers of the last two years. */
export const browsers = ['chrome119', 'firefox121', 'safari17.4'];
/** All scripts together, gzipped; each page loads less. */
const limitKb = 250;

/**
 * Bundles by route into `folder`; names carry the hash of their content, so that they can be cached for ever. Returns what
 * to tell of it. Throws when the scripts are larger than their limit.
 */
export async function bundleConsole(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  const options: BuildOptions = {
    entryPoints: {
      main: 'src/console/main.tsx',
      theme: 'src/console/theme-start.ts',
      style: 'src/console/style/console.css',
    },
    outdir: folder,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: browsers,
    minify: true,
    legalComments: 'none',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  };
  const { metafile } = await build({ ...options, plugins: [await pageErrors(options), pagePatterns], metafile: true });
  pageOf(metafile, folder, 'src/console/index.html');
  const kb = Math.round(scriptBytes(metafile) / 1024);
  if (kb > limitKb) throw new Error(`the console's scripts take ${kb} KB gzipped, over ${limitKb}`);
  return `${kb} KB of scripts gzipped, ${await bundleDashboard(`${folder}/dashboard`)}`;
}

/** How large all scripts of a bundle are together, gzipped. */
export function scriptBytes({ outputs }: Metafile): number {
  const scripts = Object.keys(outputs).filter((file) => file.endsWith('.js'));
  return scripts.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
}

/** Writes the page with the names of its files, and what the first script imports told ahead. */
export function pageOf({ outputs }: Metafile, folder: string, template: string): void {
  const bare = (file: string): string => file.slice(folder.length + 1);
  const outputOf = (name: string): string =>
    Object.keys(outputs).find((file) => bare(file).startsWith(`assets/${name}-`)) ?? '';
  const main = outputOf('main');
  const parts = (outputs[main]?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  const preloads = parts.map(({ path }) => `<link rel="modulepreload" href="/${bare(path)}" />`).join('');
  const names: Record<string, string> = { main: bare(main), preloads };
  for (const name of ['theme', 'style']) names[name] = bare(outputOf(name));
  const page = readFileSync(template, 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (whole, name) => names[name] ?? whole);
  writeFileSync(`${folder}/index.html`, page);
}
