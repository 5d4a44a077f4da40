/** The formats, and the one function that reads a source of any of them. Their readers are loaded when they are needed. */
import { SecretPlaceholders } from '../scenario/secret-placeholders.ts';
import type { ImportedChain, ReportUntranslated, SourceFile, UntranslatedItem } from './imported.ts';
import { type WrittenSource, writeScenarios } from './write-scenarios.ts';

type FormatReader = (
  files: readonly SourceFile[],
  report: ReportUntranslated,
  secrets: SecretPlaceholders,
) => Promise<readonly ImportedChain[]>;

/** `extension`: of the files that are read of a folder. */
type Format = { readonly extension: RegExp; readonly load: () => Promise<FormatReader> };

const formats = {
  openapi: {
    extension: /\.(?:json|ya?ml)$/i,
    load: async () => (await import('./openapi/import-openapi.ts')).importOpenApi,
  },
  postman: {
    extension: /\.json$/i,
    load: async () => toAsync((await import('./postman/import-postman.ts')).importPostman),
  },
  har: { extension: /\.har$/i, load: async () => toAsync((await import('./har/import-har.ts')).importHar) },
  curl: {
    extension: /\.(?:sh|txt|md|curl)$/i,
    load: async () => toAsync((await import('./import-curl.ts')).importCurl),
  },
  hurl: { extension: /\.hurl$/i, load: async () => toAsync((await import('./hurl/import-hurl.ts')).importHurl) },
  bruno: { extension: /\.bru$/i, load: async () => (await import('./bruno/import-bruno.ts')).importBruno },
} as const satisfies Readonly<Record<string, Format>>;

export type ImportFormat = keyof typeof formats;
export const importFormats = Object.keys(formats) as readonly ImportFormat[];

export function getFormatExtension(format: ImportFormat): RegExp {
  return formats[format].extension;
}

function toAsync(
  read: (
    files: readonly SourceFile[],
    report: ReportUntranslated,
    secrets: SecretPlaceholders,
  ) => readonly ImportedChain[],
): FormatReader {
  return async (...args) => read(...args);
}

/** Pure but for loading code; never throws because of the source. */
export async function importSource(format: ImportFormat, files: readonly SourceFile[]): Promise<WrittenSource> {
  const untranslated: UntranslatedItem[] = [];
  const report: ReportUntranslated = (source, item, reason) => untranslated.push({ source, item, reason });
  const secrets = new SecretPlaceholders();
  const read = await formats[format].load();
  const chains = await read(files, report, secrets);
  return writeScenarios({ chains, untranslated }, secrets);
}
