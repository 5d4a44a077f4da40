/**
 * What is read from the files of other tools, before it becomes scenarios. Texts of requests hold placeholders as scenarios write them,
 * `${name}`; the dollar of a literal `${` is `literalDollar`.
 */
import type { SeenResponse } from '../judge/prove/propose-checks.ts';
import type { MultipartPart } from '../scenario/multipart-line.ts';

export type HeaderLines = readonly (readonly [name: string, value: string])[];

export type ImportedBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'graphql'; readonly query: string; readonly variables: string }
  | { readonly kind: 'multipart'; readonly parts: readonly ImportedPart[] };

/** `content`: of a file, where the source has it; otherwise `source` is the file that names it. */
export type ImportedPart = MultipartPart & { readonly content?: string | undefined; readonly source: string };

/** A file that scenarios send. `name` is beside them, `path` as the file `source` writes it. */
export type ImportedUpload = {
  readonly name: string;
  readonly path: string;
  readonly source: string;
  readonly content: string | undefined;
};

/** `source` is as a scenario writes it, such as `body.id`. */
export type ImportedCapture = { readonly name: string; readonly source: string };

export type ImportedRequest = {
  /** Its name in the source, for people: `orders / create`, `line 12`. */
  readonly label: string;
  readonly method: string;
  /** An address, or a path; a placeholder may stand for scheme and host. */
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: ImportedBody | undefined;
  /** As scenarios write them; those that the parser refuses are reported and left out. */
  readonly checks: readonly string[];
  readonly captures: readonly ImportedCapture[];
  /** Recorded answers to this request. */
  readonly responses: readonly SeenResponse[];
  /** Each header was written by a person: none is a browser's, and none is left out without a report. */
  readonly isWritten?: boolean;
};

/** One scenario: the last request is its TRIGGER, those before it its STEPS. */
export type ImportedChain = {
  /** The ID is `RT-<METHOD>-<name>`; from the path where it is undefined. */
  readonly name?: string | undefined;
  /** Behind the name in the title. */
  readonly summary?: string | undefined;
  readonly tags: readonly string[];
  readonly steps: readonly ImportedRequest[];
  readonly trigger: ImportedRequest;
  readonly cleanup: readonly ImportedRequest[];
};

/** Something of the source that no scenario says, and why. */
export type UntranslatedItem = { readonly source: string; readonly item: string; readonly reason: string };

export type ImportedSource = {
  readonly chains: readonly ImportedChain[];
  readonly untranslated: readonly UntranslatedItem[];
};

export type ReportUntranslated = (source: string, item: string, reason: string) => void;

/** Every `${name}` of the texts, in their order. */
export function listPlaceholders(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => Array.from(text.matchAll(/\$\{(\w+)\}/g), ([, name = '']) => name));
  return [...new Set(names)];
}

/** The texts of a request that may hold placeholders. */
export function listRequestTexts({ url, headers, body }: ImportedRequest): readonly string[] {
  return [url, ...headers.flat(), ...(body === undefined ? [] : listBodyTexts(body))];
}

function listBodyTexts(body: ImportedBody): readonly string[] {
  if (body.kind === 'form') return body.fields.flat();
  if (body.kind === 'graphql') return [body.variables];
  if (body.kind === 'text') return [body.text];
  return body.parts.flatMap((part) => ('value' in part ? [part.value] : []));
}

/** A file of another tool. `name` is its path within the source, for people. */
export type SourceFile = { readonly name: string; readonly text: string };
