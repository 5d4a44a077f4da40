/** A file of curl commands, such as a shell script or a page of documentation. */
import { parseCurlCommand } from '../scenario/curl-import.ts';
import type { SecretPlaceholders } from '../scenario/secret-placeholders.ts';
import type { ImportedRequest, ImportedSource, ReportUntranslated, SourceFile } from './imported.ts';
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
      const { request, origin, notes } = imported;
      for (const note of notes) if (!note.startsWith('Left out:')) report(label, 'a part of the command', note);
      const { method, path, headers = [], body } = request;
      const trigger: ImportedRequest = {
        ...{ label, method, headers, checks: [], captures: [], responses: [] },
        url: `${origin.startsWith('$') ? '' : origin}${path}`,
        body: body === undefined ? undefined : { kind: 'text', text: isolateLiterals(body) },
      };
      return [{ tags: ['http'], steps: [], trigger, cleanup: [] }];
    }),
  );
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
