/**
 * The console's pages and files. Every page is the same `index.html`, whose scripts read the URL. Pages and files contain no
 * data and need no credential.
 */
import { createHash } from 'node:crypto';
import { listAssets, readAsset } from '../../environment/asset.ts';
import type { MountedPaths } from '../../http/mounted-paths.ts';
import { signInReturnPath } from '../hubs/sign-in-routes.ts';

const consoleFolder = 'dist/console';

const mediaTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** First path segments of the console's pages. */
export const consoleSections: readonly string[] = [
  '',
  'hubs',
  'instances',
  'registry',
  'reset-password',
  'runs',
  'settings',
  'sign-in',
  'single-sign-on',
  'setup',
  'invitation',
  'device',
  'interaction',
];

/** Paths under these segments that are not pages. */
const nonPagePaths: readonly string[] = [signInReturnPath, `${signInReturnPath}/client.json`];

const inlineScriptPattern = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g;

/**
 * Scripts, styles and requests of this origin only, and the scripts that are written in the page itself, by their digests;
 * `data:` is for the icon. Styles set by scripts on elements need no source.
 */
export function createConsolePolicy(page: string): string {
  const digests = Array.from(
    page.matchAll(inlineScriptPattern),
    ([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [`script-src 'self'${digests.join('')}`, ...otherSources].join('; ');
}

const otherSources = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

const notBuiltPage = `<!doctype html><meta charset="utf-8"><title>vp</title>
<p>The console is not built. Run <code>node build.mjs --console</code>, then reload this page.</p>
`;

/** Source of the console's files. */
export type ConsoleFiles = { names(): readonly string[]; text(name: string): string };

/** The files of the build; none when it is not built. */
export const builtConsoleFiles: ConsoleFiles = {
  names: () => {
    try {
      return listAssets(consoleFolder);
    } catch {
      return [];
    }
  },
  text: readAsset,
};

function getSection(path: string): string {
  return path.split('/')[1] ?? '';
}

/** The console in the route table. A file that the build does not have is left to the routes, which do not know it. */
export const consolePaths: MountedPaths = {
  kind: 'mounted',
  name: 'web console',
  methods: ['GET', 'HEAD'],
  paths: ['/assets/*', '/', ...consoleSections.filter(Boolean).map((section) => `/${section}/*`)],
  credential: 'none',
  accepts(path) {
    const section = getSection(path);
    return section === 'assets' || (consoleSections.includes(section) && !nonPagePaths.includes(path));
  },
};

/** True for a request of a person's browser for a page: programs accept JSON or anything. */
export function isPageRequest({ method, headers }: Request): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.get('accept') ?? '');
}

/** Handles requests for the console; undefined for all others. Files are read at their first request. */
export function createConsoleHandler(
  files: ConsoleFiles = builtConsoleFiles,
): (request: Request) => Response | undefined {
  const texts = new Map<string, string>();
  const readText = (name: string): string | undefined => {
    const text = texts.get(name) ?? (files.names().includes(name) ? files.text(name) : undefined);
    // The build may be repeated while running from the sources; files with hashed names never change.
    if (text !== undefined && name.includes('/assets/')) texts.set(name, text);
    return text;
  };
  return (request) => {
    if (!consolePaths.methods.includes(request.method)) return undefined;
    const { pathname } = new URL(request.url);
    if (!consolePaths.accepts(pathname)) return undefined;
    if (getSection(pathname) === 'assets')
      return createFileResponse(pathname, readText(`${consoleFolder}${pathname}`), request.method);
    return createPageResponse(readText(`${consoleFolder}/index.html`), request.method);
  };
}

/** The console as the answer to an address that nothing serves: its router says that there is no such page. */
export function createUnknownPageResponse(files: ConsoleFiles = builtConsoleFiles): Response {
  const index = `${consoleFolder}/index.html`;
  const page = createPageResponse(files.names().includes(index) ? files.text(index) : undefined, 'GET');
  return new Response(page.body, { status: 404, headers: page.headers });
}

function createFileResponse(pathname: string, text: string | undefined, method: string): Response | undefined {
  if (text === undefined) return undefined;
  const type = mediaTypes[pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' };
  return new Response(method === 'HEAD' ? null : text, { headers });
}

function createPageResponse(text: string | undefined, method: string): Response {
  const page = text ?? notBuiltPage;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': createConsolePolicy(page),
  };
  return new Response(method === 'HEAD' ? null : page, {
    status: text === undefined ? 503 : 200,
    headers,
  });
}
