import type { CheckKind } from '../check-kind.ts';
import { explainMissingBody } from '../forms/body-value.ts';
import { createDocumentSubject } from '../forms/file-form.ts';
import { parseFieldPath } from '../forms/has-form.ts';
import { compareJson, omitPath } from '../json/compare-json.ts';
import type { FieldPath } from '../json/field-path.ts';
import type { Json } from '../json/json.ts';
import { readJson } from '../json/read-json.ts';

/** `content` is undefined until the file is read. */
export type EqualsFileCheck = {
  readonly kind: 'equals_file';
  readonly file: string;
  readonly ignored: readonly FieldPath[];
  readonly content?: Json;
};

/** The outcome names so many differences. */
const maxNamed = 5;
const form = /^(body\s+equals\s+file\s+)(\S+)(?:\s+ignoring\s+(\S.*))?$/;

function omitAll(value: Json, paths: readonly FieldPath[]): Json {
  return paths.reduce<Json>((rest, path) => omitPath(rest, path) ?? null, value);
}

/** `body equals file <file> [ignoring <paths>]`. */
export const equalsFileKind: CheckKind<EqualsFileCheck> = {
  kind: 'equals_file',
  form: 'body equals file <file.json> [ignoring <paths>]',
  meaning:
    'the JSON body is the one of the file, numbers as they were sent; without the fields after `ignoring`, separated by commas, where a path through a list leads into each element: `ignoring id, data.created_at`',
  example: 'body equals file order.json ignoring id, items.created_at',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const match = form.exec(text);
    if (match === null) return undefined;
    const [, , file = '', list = ''] = match;
    let start = text.length - list.length;
    const ignored: FieldPath[] = [];
    for (const part of list === '' ? [] : list.split(',')) {
      const name = part.trim();
      const from = start + part.length - part.trimStart().length;
      const path = parseFieldPath({ text: name, start: from, end: from + name.length }, report);
      if (path === undefined) return 'refused';
      ignored.push(path);
      start += part.length + 1;
    }
    return { kind: 'equals_file', file, ignored };
  },
  getFile: ({ file }) => file,
  withFile(check, text) {
    try {
      return { ...check, content: omitAll(readJson(text), check.ignored) };
    } catch {
      return 'it is not JSON';
    }
  },
  judge({ file, ignored, content }, { body, conceal }) {
    const expected = `the body of \`${file}\``;
    if (body.kind !== 'json') return { passed: false, expected, actual: explainMissingBody(body) };
    if (content === undefined) return { passed: false, expected, actual: 'the file was not read' };
    const differences = compareJson(content, omitAll(body.value, ignored), conceal);
    const [first] = differences;
    if (!first) return { passed: true, expected, actual: 'the same', pointer: '' };
    const named = differences.slice(0, maxNamed).map(({ text }) => text);
    const more = differences.length - named.length;
    const actual = `${named.join('; ')}${more > 0 ? `; and ${more} more differences` : ''}`;
    return { passed: false, expected, actual, pointer: first.pointer };
  },
  getSubject: (_check, observation, outcome) => createDocumentSubject(observation, outcome),
  readingCost: 6,
};
