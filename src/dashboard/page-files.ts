/** Serves the built page and its files. They contain no data of users. */
import { listAssets, readAsset } from '../environment/asset.ts';
import type { MountedPaths } from '../http/mounted-paths.ts';

const folder = 'dist/console/dashboard';

const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Allows only scripts, styles and requests of this origin; `data:` is for the icon. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const notBuiltPage = `<!doctype html><meta charset="utf-8"><title>vp dashboard</title>
<p>The dashboard is not built. Run <code>node build.mjs --console</code>, then reload this page.</p>
`;

function listFiles(): readonly string[] {
  try {
    return listAssets(folder);
  } catch {
    return [];
  }
}

/** The page and its files, which are served before the routes. */
export const dashboardPagePaths: MountedPaths = {
  kind: 'mounted',
  name: 'dashboard page',
  methods: ['GET', 'HEAD'],
  paths: ['/', '/assets/*'],
  credential: 'none',
  accepts: (path) => path === '/' || path.startsWith('/assets/'),
};

/** Returns the response to a request for the page or one of its files, undefined for other requests. */
export function servePageFile(request: Request): Response | undefined {
  const { method } = request;
  const { pathname } = new URL(request.url);
  if (!dashboardPagePaths.methods.includes(method) || !dashboardPagePaths.accepts(pathname)) return undefined;
  if (pathname === '/') return servePage(method);
  const name = `${folder}${pathname}`;
  if (!pathname.startsWith('/assets/') || !listFiles().includes(name)) return undefined;
  const type = contentTypes[pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' };
  return new Response(method === 'HEAD' ? null : readAsset(name), { headers });
}

function servePage(method: string): Response {
  const file = `${folder}/index.html`;
  const isBuilt = listFiles().includes(file);
  const text = isBuilt ? readAsset(file) : notBuiltPage;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy,
  };
  return new Response(method === 'HEAD' ? null : text, { status: isBuilt ? 200 : 503, headers });
}
