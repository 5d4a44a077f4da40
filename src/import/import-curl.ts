/** A file of curl commands, such as a shell script or a page of documentation. */
import { type CurlImport, parseCurlCommand } from '../scenario/curl-import.ts';
import type { SecretPlaceholders } from '../scenario/secret-placeholders.ts';
import type { ImportedBody, ImportedRequest, ImportedSource, ReportUntranslated, SourceFile } from './imported.ts';
import { escapeLiterals } from './placeholder-names.ts';

export function importCurl(
  files: readonly SourceFile[],
  report: ReportUntranslated,
  secrets: SecretPlaceholders,
): ImportedSource['chains'] {
  return files.flatMap((file) =>
    listCommands(file.text).flatMap(({ text, line }) => {
      const label = `${file.name}:${line}`;
      const imported = parseCurlCommand(text, secrets);
      if ('problem' in imported) {
        report(label, text.split('\n', 1)[0]?.slice(0, 80) ?? '', imported.problem);
        return [];
      }
      const { request, origin, notes, parts } = imported;
      for (const note of notes)
        if (!/^(?:Left out:|The file .* is sent:)/.test(note)) report(label, 'a part of the command', note);
      const { method, path, headers = [], body } = request;
      const trigger: ImportedRequest = {
        ...{ label, method, headers, checks: [], captures: [], responses: [] },
        url: `${origin.startsWith('$') ? '' : origin}${path}`,
        body: toBody(body, parts, file.name),
      };
      return [{ tags: ['http'], steps: [], trigger, cleanup: [] }];
    }),
  );
}

function toBody(body: string | undefined, parts: CurlImport['parts'], source: string): ImportedBody | undefined {
  if (parts.length > 0) return { kind: 'multipart', parts: parts.map((part) => ({ ...part, source })) };
  return body === undefined ? undefined : { kind: 'text', text: isolateLiterals(body) };
}

/** What curl’s reader has left of `${` are placeholders. */
function isolateLiterals(body: string): string {
  return body
    .split(/(\$\{\w+\})/)
    .map((part, index) => (index % 2 === 1 ? part : escapeLiterals(part)))
    .join('');
}

/** Each text begins with a command; the reader stops at its end. */
function listCommands(text: string): readonly { readonly text: string; readonly line: number }[] {
  const starts = Array.from(text.matchAll(/^[ \t]*(?:[$>#] +)?curl(?:\.exe)?[ \t]/gm), ({ index }) => index);
  return starts.map((start, index) => ({
    text: text.slice(start, starts[index + 1]).trim(),
    line: text.slice(0, start).split('\n').length,
  }));
}
