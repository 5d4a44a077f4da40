/** Imports texts in tests, and shows that every scenario is valid, with the files that it sends, and in canonical form. */
import type { Test } from 'tap';
import { type ImportFormat, importSource } from '../../src/import/import-source.ts';
import type { WrittenSource } from '../../src/import/write-scenarios.ts';
import { embedFiles, removeFiles } from '../../src/scenario/embedded-files.ts';
import { formatScenario } from '../../src/scenario/format.ts';

export type ImportedTexts = WrittenSource & {
  /** The text of a scenario by its ID. */
  readonly text: (id: string) => string;
  /** Its bullets. */
  readonly bullets: (id: string) => readonly string[];
};

/** `source` is one text, or texts by the names of their files. */
export async function importTexts(
  t: Test,
  format: ImportFormat,
  source: string | Readonly<Record<string, string>>,
): Promise<ImportedTexts> {
  const files = typeof source === 'string' ? { [`source.${format}`]: source } : source;
  const written = await importSource(
    format,
    Object.entries(files).map(([name, text]) => ({ name, text })),
  );
  for (const { id, text } of written.scenarios) {
    const problems: unknown[] = [];
    const complete = embedFiles(
      text,
      () => undefined,
      () => ({ base64: 'YQ==' }),
    );
    const formatted = formatScenario(complete, { variables: 'any' }, (diagnostic) => problems.push(diagnostic));
    t.same(problems, [], `${id} is valid`);
    t.equal(formatted && removeFiles(formatted), text, `${id} is formatted`);
  }
  const getText = (id: string): string => {
    const scenario = written.scenarios.find((each) => each.id === id);
    if (!scenario) throw new Error(`no ${id} among ${written.scenarios.map((each) => each.id).join(', ')}`);
    return scenario.text;
  };
  return {
    ...written,
    text: getText,
    bullets: (id) => Array.from(getText(id).matchAll(/^- (?!ID:|Layer:|Tags:)(.+)$/gm), ([, bullet = '']) => bullet),
  };
}
