import type { ReportUntranslated } from '../imported.ts';
import type { HurlLine, HurlPart } from './parse-hurl.ts';

/** What the entries of one file share. `fill` replaces the variables whose value the file gives. */
export type HurlFile = {
  readonly name: string;
  readonly report: ReportUntranslated;
  readonly fill: (text: string) => string;
  readonly variables: Map<string, string>;
};

export const getSection = ({ sections }: HurlPart, ...names: readonly string[]): readonly HurlLine[] =>
  names.flatMap((name) => sections.get(name) ?? []);
