/** Build step (see build.mjs), no browser code: bundles the console's pages, styles and `index.html`. */
import { rmSync } from 'node:fs';
import { type BuildOptions, build } from 'esbuild';
import { bundleDashboard } from './bundle-dashboard.ts';
import { createErrorTablePlugin } from './error-table-plugin.ts';
import { browserTargets, sumScriptBytes, writeHtmlPage } from './html-page.ts';
import { patternPlugin } from './pattern-plugin.ts';

/** Limit for all scripts together, gzipped. A single page loads less. */
const maxScriptsKb = 250;

/**
 * Bundles into `folder`, with one chunk for each route. File names contain a hash of the content, so that browsers may cache
 * them for ever. Returns a line for the build's output. Throws when the scripts exceed their limit.
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
    target: browserTargets,
    minify: true,
    legalComments: 'none',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  };
  const { metafile } = await build({
    ...options,
    plugins: [await createErrorTablePlugin(options), patternPlugin],
    metafile: true,
  });
  writeHtmlPage(metafile, folder, 'src/console/index.html');
  const scriptsKb = Math.round(sumScriptBytes(metafile) / 1024);
  if (scriptsKb > maxScriptsKb)
    throw new Error(`the console's scripts take ${scriptsKb} KB gzipped, over ${maxScriptsKb}`);
  return `${scriptsKb} KB of scripts gzipped, ${await bundleDashboard(`${folder}/dashboard`)}`;
}
