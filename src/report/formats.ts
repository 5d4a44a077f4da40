import { htmlResults } from './html.ts';
import { jsonResults } from './json.ts';
import { junitResults } from './junit.ts';
import type { Results } from './results.ts';
import { textResults } from './text.ts';

/** Every format that results can be written in, by name; a new one is its file and its line here. */
export const formats = {
  text: (results: Results): string => textResults(results),
  json: jsonResults,
  junit: junitResults,
  html: htmlResults,
} as const;

/** A name of {@link formats}. */
export type FormatName = keyof typeof formats;
