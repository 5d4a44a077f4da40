/**
 * The page for people whose OAuth client sent a request that cannot continue. It uses the style sheet of the sign-in pages,
 * without their scripts.
 */
import type { OAuthErrorResponse, RenderErrorPage } from '../../identity/oauth/error-responses/error-response.ts';
import { type Markup, markup } from '../../report/markup.ts';
import { builtConsoleFiles, type ConsoleFiles } from '../console/console-assets.ts';

/** Allows the style sheet and start script of the console; nothing else is loaded, sent or framed. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const title = 'This request cannot be answered';
const maxReasonLength = 300;

/** By OAuth error code: what is wrong, and what to do next. */
const textsByError: Readonly<Record<string, readonly [wrong: string, next: string]>> = {
  invalid_client: [
    'This control plane does not know the app that sent you here. The app never registered, its registration was removed because it was not used, or its metadata document cannot be read.',
    'In the app, remove this server and add it again, so that the app registers again.',
  ],
  invalid_redirect_uri: [
    'The redirect URI of the request is not one of those that the app registered. Another app may be using its name.',
    'If you did not start this yourself, close the page. Otherwise remove this server in the app and add it again.',
  ],
  invalid_target: [
    'The request does not name a hub, or names it with an invalid slug.',
    'In the app, enter the URL of your hub, which ends in /hub/<slug>/mcp; the console shows it under Hubs.',
  ],
  login_required: [
    'The app tries to continue without your consent. This control plane asks for consent every time.',
    'Go back to the app and sign in from there.',
  ],
  server_error: [
    'The control plane failed; the app is not the cause.',
    'Go back to the app and try again in a minute.',
  ],
};

const endedTexts: readonly [string, string] = [
  'This sign-in request has expired, was answered already, or was started in another browser.',
  'Go back to the app and start again.',
];
const defaultTexts: readonly [string, string] = [
  'This control plane does not support the request of the app that sent you here.',
  'Go back to the app and start again. If this page appears again, report it to the developer of the app.',
];

/** Renders pages with the style sheet of `files`. */
export function createRefusedRequestPage(files: ConsoleFiles = builtConsoleFiles): RenderErrorPage {
  const renderAssets = (): Markup => {
    const findAsset = (pattern: RegExp): string | undefined => {
      const name = files.names().find((fileName) => pattern.test(fileName));
      return name?.slice(name.indexOf('/assets/'));
    };
    const start = findAsset(/\/assets\/start-[^/]*\.js$/);
    const style = findAsset(/\/assets\/style-[^/]*\.css$/);
    return markup`${start && markup`<script src="${start}"></script>`}${style && markup`<link rel="stylesheet" href="${style}">`}`;
  };
  return (refusedRequest) => ({ html: renderPage(refusedRequest, renderAssets()).text, policy });
}

function renderPage(refusedRequest: OAuthErrorResponse, assets: Markup): Markup {
  const { error, description: reason, host } = refusedRequest;
  const knownTexts = Object.hasOwn(textsByError, error) ? textsByError[error] : undefined;
  const [problemText, nextStepText] =
    (refusedRequest.isExpired && error === 'invalid_request' ? endedTexts : knownTexts) ?? defaultTexts;
  const detail = reason === undefined ? error : `${error}: ${reason.slice(0, maxReasonLength)}`;
  const notRedirectedText =
    host &&
    markup`<p>You were not redirected to <b class="mono">${host}</b>, because no one here has allowed that app.</p>`;
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · vp</title><link rel="icon" href="data:,">${assets}</head>
<body><main class="alone"><p class="brand">vp</p><div class="card"><h1>${title}</h1>
<p>${problemText}</p>
${notRedirectedText}
<p>${nextStepText}</p>
<p class="faint">For the developer of the app: <span class="mono">${detail}</span></p>
</div></main></body></html>
`;
}
