/** The page and its files, as the build made them. They say nothing about anybody. */
import { assetNames, assetText } from '../environment/asset.ts';

const folder = 'dist/console/dashboard';

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Scripts, styles and calls of this origin only; `data:` is the icon. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = `<!doctype html><meta charset="utf-8"><title>vp dashboard</title>
<p>The dashboard is not built. <code>node build.mjs --console</code> builds it; then load this page again.</p>
`;

function names(): readonly string[] {
  try {
    return assetNames(folder);
  } catch {
    return [];
  }
}

/** Gives the answer to requests for the page or a file of it, undefined to all others. */
export function pageFiles(request: Request): Response | undefined {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const { pathname } = new URL(request.url);
  if (pathname === '/') return page(method);
  const name = `${folder}${pathname}`;
  if (!pathname.startsWith('/assets/') || !names().includes(name)) return undefined;
  const type = types[pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' };
  return new Response(method === 'HEAD' ? null : assetText(name), { headers });
}

function page(method: string): Response {
  const file = `${folder}/index.html`;
  const isBuilt = names().includes(file);
  const text = isBuilt ? assetText(file) : notBuilt;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
  };
  return new Response(method === 'HEAD' ? null : text, { status: isBuilt ? 200 : 503, headers });
}
