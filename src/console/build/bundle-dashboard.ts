/** Build step, no browser code: bundles the dashboard's page separately from the console. */
import { build } from 'esbuild';
import { browserTargets, sumScriptBytes, writeHtmlPage } from './html-page.ts';

/** Limit for all scripts together, gzipped. */
const maxScriptsKb = 80;

/** Bundles into `folder`. Returns a line for the build's output. Throws when the scripts exceed their limit. */
export async function bundleDashboard(folder: string): Promise<string> {
  const { metafile } = await build({
    entryPoints: {
      main: 'src/console/dashboard/main.ts',
      start: 'src/console/page-start.ts',
      style: 'src/console/dashboard/dashboard.css',
    },
    outdir: folder,
    entryNames: 'assets/[name]-[hash]',
    bundle: true,
    format: 'esm',
    target: browserTargets,
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  writeHtmlPage(metafile, folder, 'src/console/dashboard/index.html');
  const scriptsKb = Math.round(sumScriptBytes(metafile) / 1024);
  if (scriptsKb > maxScriptsKb)
    throw new Error(`the dashboard's scripts take ${scriptsKb} KB gzipped, over ${maxScriptsKb}`);
  return `${scriptsKb} KB for the dashboard`;
}
