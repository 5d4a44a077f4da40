/**
 * The console's pages and files. Answers a GET for a file of the build, or for a page of the console: every page is the same
 * `index.html`, whose scripts read the address. Pages and files say nothing about anybody and need no credential.
 */
import { assetNames, assetText } from '../environment/asset.ts';
import { signInReturnPath } from './hub-connections-sign-in.ts';

const folder = 'dist/console';

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** First segments of the addresses that are pages; the rest belongs to others. */
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

/** Addresses among them that are no pages. */
const otherAddresses: readonly string[] = [signInReturnPath, `${signInReturnPath}/client.json`];

/** Scripts, styles and calls of this origin only; `data:` is the icon. Styles that scripts set one by one need no permission. */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = `<!doctype html><meta charset="utf-8"><title>vp</title>
<p>The console is not built. <code>node build.mjs --console</code> builds it; then load this page again.</p>
`;

/** Where files come from; the build's unless said otherwise. */
export type ConsoleFiles = { names(): readonly string[]; text(name: string): string };

/** Those of the build; none where it is not built. */
export const builtConsole: ConsoleFiles = {
  names: () => {
    try {
      return assetNames(folder);
    } catch {
      return [];
    }
  },
  text: assetText,
};

/** Gives the answer to requests that are the console's, undefined to all others. Reads a file when it is first asked for. */
export function consoleAssets(files: ConsoleFiles = builtConsole): (request: Request) => Response | undefined {
  const texts = new Map<string, string>();
  const textOf = (name: string): string | undefined => {
    const known = texts.get(name) ?? (files.names().includes(name) ? files.text(name) : undefined);
    // From the sources the build may have been made anew meanwhile; hashed names never change.
    if (known !== undefined && name.includes('/assets/')) texts.set(name, known);
    return known;
  };
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const { pathname } = new URL(request.url);
    const [, section = ''] = pathname.split('/');
    if (section === 'assets') return fileAnswer(pathname, textOf(`${folder}${pathname}`), request.method);
    if (!consoleSections.includes(section) || otherAddresses.includes(pathname)) return undefined;
    return pageAnswer(textOf(`${folder}/index.html`), request.method);
  };
}

function fileAnswer(pathname: string, text: string | undefined, method: string): Response | undefined {
  if (text === undefined) return undefined;
  const type = types[pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' };
  return new Response(method === 'HEAD' ? null : text, { headers });
}

function pageAnswer(text: string | undefined, method: string): Response {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': consolePolicy,
  };
  return new Response(method === 'HEAD' ? null : (text ?? notBuilt), {
    status: text === undefined ? 503 : 200,
    headers,
  });
}
