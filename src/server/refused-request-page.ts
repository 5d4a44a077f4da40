/**
 * The page for people whose program asks the OAuth server in a way that cannot go on. It looks like the pages of signing in,
 * from the same style sheet, and needs none of their scripts.
 */
import type { RefusedPage, RefusedRequest } from '../identity/oauth/refused-requests.ts';
import { type Markup, markup } from '../report/markup.ts';
import { builtConsole, type ConsoleFiles } from './console-assets.ts';

/** The style and the chosen theme of the console; nothing else is loaded, sent or framed. */
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
const longestWhy = 300;

/** By the code of OAuth: what is wrong, and what to do next. */
const words: Readonly<Record<string, readonly [wrong: string, next: string]>> = {
  invalid_client: [
    'The program that sent you here is not known to this control plane. It never registered here, it was forgotten because nobody used it, or the document that describes it cannot be read.',
    'In the program, remove this server and add it again: the program then registers anew.',
  ],
  invalid_redirect_uri: [
    'The program wants its answer at an address that is not one of those it registered. It may be another program that calls itself by its name.',
    'If you did not start this yourself, close the page. Otherwise remove this server in the program and add it again.',
  ],
  invalid_target: [
    'The program does not say which hub it wants to use, or says it in a way that no hub here is named.',
    'In the program, give the address of your hub, which ends in /hub/<slug>/mcp; the console shows it under Hubs.',
  ],
  login_required: [
    'The program wants to go on without asking you. Here every program asks each time.',
    'Go back to the program and sign in from there.',
  ],
  server_error: [
    'Something went wrong here, not in the program.',
    'Go back to the program and begin again in a minute.',
  ],
};

const ended: readonly [string, string] = [
  'This request to sign in has ended, was answered already, or was begun in another browser.',
  'Go back to the program and begin again.',
];
const other: readonly [string, string] = [
  'The program that sent you here asks in a way that this control plane does not understand.',
  'Go back to the program and begin again. If it says the same then, whoever makes the program has to mend it.',
];

/** Makes pages with the styles of `files`. */
export function refusedRequestPage(files: ConsoleFiles = builtConsole): RefusedPage {
  const assets = (): Markup => {
    const named = (pattern: RegExp): string | undefined => {
      const name = files.names().find((one) => pattern.test(one));
      return name?.slice(name.indexOf('/assets/'));
    };
    const theme = named(/\/assets\/theme-[^/]*\.js$/);
    const style = named(/\/assets\/style-[^/]*\.css$/);
    return markup`${theme && markup`<script src="${theme}"></script>`}${style && markup`<link rel="stylesheet" href="${style}">`}`;
  };
  return (refused) => ({ html: pageOf(refused, assets()).text, policy });
}

function pageOf(refused: RefusedRequest, assets: Markup): Markup {
  const { error, why, host } = refused;
  const known = Object.hasOwn(words, error) ? words[error] : undefined;
  const [wrong, next] = (refused.ended && error === 'invalid_request' ? ended : known) ?? other;
  const detail = why === undefined ? error : `${error}: ${why.slice(0, longestWhy)}`;
  const notSent =
    host &&
    markup`<p>You were not sent on to <b class="mono">${host}</b>, because nobody here has let that program in.</p>`;
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · vp</title><link rel="icon" href="data:,">${assets}</head>
<body><main class="alone"><p class="brand">vp</p><div class="card"><h1>${title}</h1>
<p>${wrong}</p>
${notSent}
<p>${next}</p>
<p class="faint">For whoever makes the program: <span class="mono">${detail}</span></p>
</div></main></body></html>
`;
}
