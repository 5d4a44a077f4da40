import { renderHtml } from './html/render-html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import type { RunResults } from './results.ts';
import { renderText } from './text/render-text.ts';

/** The output formats of results. A new one is a file and its line here. */
export const outputFormats = {
  text: (results: RunResults): string => renderText(results),
  json: renderJson,
  junit: renderJunit,
  html: renderHtml,
} as const;

export type FormatName = keyof typeof outputFormats;
