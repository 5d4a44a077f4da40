/** Build step (see ../bundle.ts), no browser code: the dashboard's page, a bundle of its own. */
import { build } from 'esbuild';
import { browsers, pageOf, scriptBytes } from '../bundle.ts';

/** All of its scripts, gzipped. */
const limitKb = 80;

/** Bundles into `folder`; returns what to tell of it. Throws when the scripts are larger than their limit. */
export async function bundleDashboard(folder: string): Promise<string> {
  const { metafile } = await build({
    entryPoints: {
      main: 'src/console/dashboard/main.ts',
      theme: 'src/console/theme-start.ts',
      style: 'src/console/dashboard/dashboard.css',
    },
    outdir: folder,
    entryNames: 'assets/[name]-[hash]',
    bundle: true,
    format: 'esm',
    target: browsers,
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  pageOf(metafile, folder, 'src/console/dashboard/index.html');
  const kb = Math.round(scriptBytes(metafile) / 1024);
  if (kb > limitKb) throw new Error(`the dashboard's scripts take ${kb} KB gzipped, over ${limitKb}`);
  return `${kb} KB for the dashboard`;
}
