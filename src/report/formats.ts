import { renderCodeQuality } from './code-quality.ts';
import { renderCtrf } from './ctrf.ts';
import { renderHtml } from './html/render-html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import type { RunResults } from './results.ts';
import { renderSarif } from './sarif.ts';
import { renderForAgent } from './text/agent-text.ts';
import { renderText } from './text/render-text.ts';

/** The output formats of results. A new one is a file and its line here. */
export const outputFormats = {
  text: (results: RunResults): string => renderText(results),
  json: renderJson,
  junit: renderJunit,
  html: renderHtml,
  sarif: renderSarif,
  ctrf: renderCtrf,
  'code-quality': renderCodeQuality,
  markdown: renderMarkdown,
  agent: renderForAgent,
} as const;

export type FormatName = keyof typeof outputFormats;

/** Formats whose paths CI systems resolve from the folder that they checked out. */
export const checkoutFormats: ReadonlySet<FormatName> = new Set(['junit', 'sarif', 'ctrf', 'code-quality', 'markdown']);
