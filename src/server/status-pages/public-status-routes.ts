/**
 * What people without an account read. An address that shows nothing says the same whether it is unknown, was revoked or has
 * ended.
 */
import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { PublicStatus } from '../../contract/status-pages-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createProblemResponse } from '../../http/problem.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import { renderBadge, unknownBadge } from './badge.ts';
import { renderAbsentPage, renderStatusPage } from './status-page.ts';
import { statusPolicy } from './status-style.ts';

/** Of any length: a long one is as unknown as every other. */
const SecretPath = Type.Object({ secret: Type.String() });
const dataSuffix = '.json';
const pageMaxAgeS = 10;
/** The proxies of forges keep a badge that long. */
const badgeMaxAgeS = 30;

type Content = {
  readonly status: 200 | 404;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** An entity tag of the text; compression keeps a weak one valid (RFC 9110 section 8.8.1). */
function respond(request: Request, { status, body, headers }: Content): Response {
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const allHeaders = { ...headers, ETag: etag, 'X-Robots-Tag': 'noindex, nofollow' };
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  if (status === 200 && known.some((tag) => tag.trim() === etag))
    return new Response(null, { status: 304, headers: allHeaders });
  return new Response(body, { status, headers: allHeaders });
}

function createPage(status: PublicStatus | undefined, secret: string): Content {
  return {
    status: status ? 200 : 404,
    body: status ? renderStatusPage(status, secret) : renderAbsentPage(),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': `private, max-age=${pageMaxAgeS}`,
      'Content-Security-Policy': statusPolicy,
      Vary: 'Accept',
    },
  };
}

async function createData(status: PublicStatus | undefined): Promise<Content> {
  const problem = createProblemResponse(vpError('STATUS_PAGE_ABSENT', {}));
  const absentType = problem.headers.get('content-type') ?? '';
  return {
    status: status ? 200 : 404,
    body: status ? JSON.stringify(status) : await problem.text(),
    headers: {
      'Content-Type': status ? 'application/json' : absentType,
      'Cache-Control': `private, max-age=${pageMaxAgeS}`,
      Vary: 'Accept',
    },
  };
}

/** A browser names HTML; programs that name neither get the page too. */
function wantsData(request: Request): boolean {
  const accept = request.headers.get('accept') ?? '';
  return /\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept);
}

export const publicStatusRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: '/status/{secret}',
    operation: 'getPublicStatus',
    summary: 'A status page, or with `Accept: application/json` or the suffix .json its data (PublicStatus)',
    params: SecretPath,
    media: ['text/html', 'application/json'],
    hasSecretPath: true,
    async handler({ services, params, request, address }) {
      services.statusPageLimiter.take(address);
      const hasSuffix = params.secret.endsWith(dataSuffix);
      const secret = hasSuffix ? params.secret.slice(0, -dataSuffix.length) : params.secret;
      const status = await services.control.statusPages.findPublic(secret);
      const isData = hasSuffix || wantsData(request);
      return respond(request, isData ? await createData(status) : createPage(status, secret));
    },
  }),
  openRoute({
    method: 'GET',
    path: '/status/{secret}/badge.svg',
    operation: 'getStatusBadge',
    summary: 'The badge of a status page; one that shows nothing says “unknown”',
    params: SecretPath,
    media: ['image/svg+xml'],
    hasSecretPath: true,
    async handler({ services, params, request, address }) {
      services.statusPageLimiter.take(address);
      const status = await services.control.statusPages.findPublic(params.secret);
      const badge = status ? { label: status.title, message: status.message, state: status.state } : unknownBadge;
      return respond(request, {
        // Also where there is none: the proxies of forges show no image of another status.
        status: 200,
        body: renderBadge(badge),
        headers: {
          'Content-Type': 'image/svg+xml',
          'Cache-Control': `public, max-age=${badgeMaxAgeS}`,
          'Cross-Origin-Resource-Policy': 'cross-origin',
        },
      });
    },
  }),
];
