/** Build step (see build.mjs), no browser code: bundles the console's pages, styles and `index.html`. */
import { readFileSync, rmSync } from 'node:fs';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { bundleDashboard } from './bundle-dashboard.ts';
import { createErrorTablePlugin } from './error-table-plugin.ts';
import { browserTargets, type LazyPages, sumScriptBytes, writeHtmlPage } from './html-page.ts';
import { patternPlugin } from './pattern-plugin.ts';
import { createShellPlugin, listLazyParts } from './shell-plugin.ts';

/** Limit for all scripts together without those that have their own limit below, gzipped. Each page loads its own part. */
const maxScriptsKb = 280;
/** Limit for the parser of the scenario language, gzipped, which only the pages of scenarios load. */
const maxLanguageKb = 75;
/** Limit for the reader of OpenAPI documents with the page Coverage, gzipped, which only that page loads. */
const maxDocumentsKb = 35;
/** Limit for the code editor, gzipped, which only the page of a scenario loads. */
const maxEditorKb = 140;

/** Pages that people open in a new tab. */
const lazyPages: LazyPages = {
  '^/runs/': 'src/console/runs/detail/run-page.tsx',
  '^/instances/[^/]+/scenarios/': 'src/console/scenarios/scenario-page.tsx',
  '^/settings': 'src/console/settings/settings-page.tsx',
  '^/hubs/.': 'src/console/hub/hub-page.tsx',
};

/**
 * Bundles into `folder`, with one chunk for each route. File names contain a hash of the content, so that browsers may cache
 * them for ever. Returns a line for the build's output. Throws when the scripts exceed their limit.
 */
export async function bundleConsole(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  const options: BuildOptions = {
    entryPoints: {
      main: 'src/console/main.tsx',
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
  const { metafile: plain } = await build({ ...options, write: false, minify: false, metafile: true });
  // Apart from the others, with which it would share parts.
  const startOptions: BuildOptions = {
    entryPoints: { start: 'src/console/page-start.ts' },
    splitting: false,
    format: 'iife',
  };
  const { metafile: start } = await build({ ...options, ...startOptions, metafile: true });
  const { metafile: others } = await build({
    ...options,
    plugins: [
      createErrorTablePlugin(plain),
      createShellPlugin(listLazyParts(plain)),
      ...[patternPlugin, styleModulePlugin],
    ],
    metafile: true,
  });
  const metafile: Metafile = { ...others, outputs: { ...others.outputs, ...start.outputs } };
  writeHtmlPage(metafile, folder, 'src/console/index.html', lazyPages);
  assertIsApart(metafile, 'the code editor', isEditorChunk);
  assertIsApart(metafile, 'the language', isLanguageChunk);
  assertIsApart(metafile, 'the reader of API documents', isDocumentChunk);
  const editorKb = Math.round(sumScriptBytes(selectOutputs(metafile, isEditorChunk)) / 1024);
  const languageKb = Math.round(sumScriptBytes(selectOutputs(metafile, isLanguageChunk)) / 1024);
  const documentsKb = Math.round(sumScriptBytes(selectOutputs(metafile, isDocumentChunk)) / 1024);
  const scriptsKb = Math.round(sumScriptBytes(metafile) / 1024) - editorKb - languageKb - documentsKb;
  if (scriptsKb > maxScriptsKb)
    throw new Error(`the console's scripts take ${scriptsKb} KB gzipped, over ${maxScriptsKb}`);
  if (editorKb > maxEditorKb) throw new Error(`the code editor takes ${editorKb} KB gzipped, over ${maxEditorKb}`);
  if (languageKb > maxLanguageKb) throw new Error(`the language takes ${languageKb} KB gzipped, over ${maxLanguageKb}`);
  if (documentsKb > maxDocumentsKb)
    throw new Error(`the reader of API documents takes ${documentsKb} KB gzipped, over ${maxDocumentsKb}`);
  return `${scriptsKb} KB of scripts gzipped, ${editorKb} KB for the code editor, ${languageKb} KB for the language, ${documentsKb} KB for API documents, ${await bundleDashboard(`${folder}/dashboard`)}`;
}

/** Throws when the first page would load such a chunk. */
function assertIsApart({ outputs }: Metafile, name: string, matches: (output: Output) => boolean): void {
  const loaded = new Set(Object.keys(outputs).filter((file) => /\/main-[^/]*\.js$/.test(file)));
  for (const file of loaded)
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') loaded.add(path);
  for (const file of loaded) {
    const output = outputs[file];
    if (output && matches(output)) throw new Error(`the first page loads ${name}, in ${file}`);
  }
}

type Output = Metafile['outputs'][string];

function isEditorChunk({ inputs }: Output): boolean {
  return Object.keys(inputs).some((file) => file.includes('node_modules/@codemirror/'));
}

function isLanguageChunk({ inputs }: Output): boolean {
  return Object.keys(inputs).some((file) => file.endsWith('src/scenario/parse.ts'));
}

function isDocumentChunk({ inputs }: Output): boolean {
  return Object.keys(inputs).some((file) => file.includes('node_modules/js-yaml/') || file.includes('src/import/'));
}

function selectOutputs({ inputs, outputs }: Metafile, matches: (output: Output) => boolean): Metafile {
  return { inputs, outputs: Object.fromEntries(Object.entries(outputs).filter(([, output]) => matches(output))) };
}

const shadowRootCondition = '!root.head && root.adoptedStyleSheets';

/** Returns the source with style sheets adopted by documents too. Throws when the library's source has changed. */
export function patchStyleModForDocuments(source: string): string {
  const result = source.replace(shadowRootCondition, 'root.adoptedStyleSheets');
  if (result === source) throw new Error(`style-mod has changed: it does not contain ${shadowRootCondition}`);
  return result;
}

/**
 * Lets the code editor add its styles without a `<style>` element, which the console's content security policy refuses. The
 * library already adopts constructed style sheets, but for shadow roots only.
 */
const styleModulePlugin: Plugin = {
  name: 'style-mod-adoption',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]style-mod[\\/]src[\\/]style-mod\.js$/ }, ({ path }) => ({
      contents: patchStyleModForDocuments(readFileSync(path, 'utf8')),
    })),
};
