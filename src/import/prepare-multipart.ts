/** Multipart bodies of other tools, and the files that they send: in the folder of the scenarios each has one name. */
import { explainUnwritable, formatMultipartLine, toUploadFileName } from '../scenario/multipart-line.ts';
import type { DraftRequest } from '../scenario/scenario-draft.ts';
import type { SecretPlaceholders } from '../scenario/secret-placeholders.ts';
import { literalDollar } from '../scenario/shell-lexer.ts';
import type { ImportedPart, ImportedUpload } from './imported.ts';

/** The same file has the same name, and another one of that name a number behind it. */
export class UploadNames {
  readonly #uploads = new Map<string, ImportedUpload>();

  get all(): readonly ImportedUpload[] {
    return [...this.#uploads.values()];
  }

  choose(path: string, field: string, source: string, content: string | undefined): string {
    const plain = toUploadFileName(path, field);
    const [, stem = plain, extension = ''] = /^(.+)(\.\w+)$/.exec(plain) ?? [];
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? plain : `${stem}-${number}${extension}`;
      const known = this.#uploads.get(name.toLowerCase());
      if (known && (known.path !== path || known.source !== source || known.content !== content)) continue;
      this.#uploads.set(name.toLowerCase(), { name, path, source, content });
      return name;
    }
  }
}

/** `note` gets what no line says, by its name. A body of which no line is left is none. */
export function prepareMultipart(
  parts: readonly ImportedPart[],
  secrets: SecretPlaceholders,
  uploads: UploadNames,
  note: (item: string, reason: string) => void,
): Pick<DraftRequest, 'body' | 'fence'> {
  const lines = parts.flatMap((part): readonly string[] => {
    const problem = explainUnwritable(part);
    if (problem !== undefined) {
      note(`the field ${part.name.slice(0, 60)}`, problem);
      return [];
    }
    if ('value' in part) {
      const value = secrets.conceal(part.name, part.value);
      return [formatMultipartLine({ name: part.name, value: value.replaceAll(literalDollar, '$') })];
    }
    const { path, name, source, content } = part;
    // A file has no placeholders: one that has a secret is not written.
    const hasSecret = content !== undefined && secrets.concealText(content) !== content;
    if (hasSecret) note(`the file ${path.slice(0, 60)}`, 'it has a secret, and is not written');
    return [formatMultipartLine(part, uploads.choose(path, name, source, hasSecret ? undefined : content))];
  });
  return lines.length === 0 ? {} : { fence: 'multipart', body: lines.join('\n') };
}
