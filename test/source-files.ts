/** Source files as the tests of layout and language read them. */
import { globSync, readFileSync } from 'node:fs';

export type SourceFile = {
  /** Path from the project's root, with `/`. */
  readonly file: string;
  /** The folder below `src/` or `test/`. */
  readonly folder: string;
  readonly lines: readonly string[];
  /** The text without comments and without the contents of string literals. */
  readonly code: string;
  /** Module specifiers of static and dynamic imports. */
  readonly imports: readonly string[];
  /** Those that are evaluated, or type-checked, together with the file. */
  readonly staticImports: readonly string[];
};

const literal =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

/** Removes comments and the contents of strings, templates (besides their expressions) and regular expressions. */
export function stripTexts(text: string): string {
  return text.replaceAll(literal, (match) => {
    if (match.startsWith('/*') || match.startsWith('//')) return ' ';
    if (!match.startsWith('`')) return "''";
    const expressions = [...match.matchAll(/\$\{([^{}]*)\}/g)].map(([, expression = '']) => stripTexts(expression));
    return `(${expressions.join(' + ')})`;
  });
}

function parseImports(text: string): string[] {
  const withoutComments = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm, '');
  const matches = withoutComments.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)'([^']+)'/gm);
  return [...matches].map(([, name = '']) => name);
}

export function readSources(pattern: string | readonly string[]): SourceFile[] {
  return globSync(pattern).map((name) => {
    const file = name.replaceAll('\\', '/');
    const text = readFileSync(file, 'utf8');
    const folder = file.split('/')[1] ?? '';
    return {
      file,
      folder,
      lines: text.split('\n'),
      code: stripTexts(text),
      imports: parseImports(text),
      staticImports: parseImports(text.replaceAll(/\bimport\s*\(/g, '(')),
    };
  });
}

/** Lists `file: what` for each source that breaks a rule. */
export function findBreaches(sources: readonly SourceFile[], rule: (source: SourceFile) => Iterable<string>): string[] {
  return sources.flatMap((source) => [...rule(source)].map((what) => `${source.file}: ${what}`));
}
