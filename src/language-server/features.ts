/** What the parser knows of a scenario, in the types of the Language Server Protocol. Positions count UTF-16 units in both. */
import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  type Definition,
  type Diagnostic,
  DiagnosticSeverity,
  type Hover,
  InsertTextFormat,
  type Range,
  type TextEdit,
} from 'vscode-languageserver-protocol';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { type CompletionFacts, type CompletionOption, completeScenario } from '../scenario/completion.ts';
import type { Diagnostic as ScenarioDiagnostic } from '../scenario/diagnostic.ts';
import { removeFiles } from '../scenario/embedded-files.ts';
import { formatScenario } from '../scenario/format.ts';
import { describeAt, findCapture } from '../scenario/hover.ts';
import { type ParseOptions, parseScenario } from '../scenario/parse.ts';
import { findQuickFixes } from '../scenario/quick-fixes.ts';
import { looksLikeScenario } from '../scenario/title.ts';

/** `embed` adds the files that the text uses; `options` are the placeholders that it may have. */
export type FeatureContext = { readonly embed: (text: string) => string; readonly options: ParseOptions };

/** `problem` is of the text in the editor. */
type OwnProblem = { readonly problem: ScenarioDiagnostic; readonly range: Range };

function listProblems(document: TextDocument, { embed, options }: FeatureContext): readonly OwnProblem[] {
  const text = document.getText();
  if (!looksLikeScenario(text)) return [];
  const problems: ScenarioDiagnostic[] = [];
  const whole = embed(text);
  parseScenario(whole, options, (problem) => problems.push(problem));
  const ownLength = removeFiles(whole).trimEnd().length;
  return problems.map((problem) => ({
    problem,
    range: toOwnRange(document, problem, whole === text ? text.length : ownLength),
  }));
}

/** A problem of a used file is at the line that names it. */
function toOwnRange(document: TextDocument, { range }: ScenarioDiagnostic, ownLength: number): Range {
  const [from, to] = [range.start.offset, range.end.offset];
  if (from <= ownLength) return { start: document.positionAt(from), end: document.positionAt(Math.max(to, from)) };
  const reference = /^[ \t]*(?:use|from):.*$/m.exec(document.getText());
  const start = reference?.index ?? 0;
  return { start: document.positionAt(start), end: document.positionAt(start + (reference?.[0].length ?? 0)) };
}

export function toDiagnostics(document: TextDocument, context: FeatureContext): Diagnostic[] {
  return listProblems(document, context).map(({ problem, range }) => ({
    ...{ range, code: problem.code, source: 'vp' },
    severity: problem.severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    message: `${problem.message}\nFix: ${problem.cure}`,
  }));
}

const completionKinds: Readonly<Record<CompletionOption['kind'], CompletionItemKind>> = {
  section: CompletionItemKind.Module,
  key: CompletionItemKind.Property,
  value: CompletionItemKind.Value,
  check: CompletionItemKind.Function,
  placeholder: CompletionItemKind.Variable,
  header: CompletionItemKind.Field,
};

/** `<name>` becomes a field to fill in, where the editor has such fields. */
function toInsertText(insert: string, hasSnippets: boolean): string {
  if (!hasSnippets) return insert;
  let number = 0;
  return insert.replaceAll(/[\\$}]/g, '\\$&').replaceAll(/<([^<>]+)>/g, (_, name: string) => `\${${++number}:${name}}`);
}

export function toCompletions(
  document: TextDocument,
  offset: number,
  facts: CompletionFacts,
  hasSnippets: boolean,
): CompletionItem[] {
  const text = document.getText();
  if (text.trim() !== '' && !looksLikeScenario(text) && !text.trimStart().startsWith('#')) return [];
  const list = completeScenario(text, offset, facts);
  if (!list) return [];
  const range = { start: document.positionAt(list.from), end: document.positionAt(offset) };
  return list.options.map(({ label, insert, detail, kind }, index) => ({
    ...{ label, detail, kind: completionKinds[kind] },
    sortText: String(index).padStart(4, '0'),
    // Editors filter by it; the list holds what continues the written text alone.
    filterText: text.slice(list.from, offset) || label,
    insertTextFormat: hasSnippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: { range, newText: toInsertText(insert, hasSnippets) },
  }));
}

export function toHover(document: TextDocument, offset: number): Hover | undefined {
  if (!looksLikeScenario(document.getText())) return undefined;
  const hover = describeAt(document.getText(), offset);
  if (!hover) return undefined;
  const range = { start: document.positionAt(hover.from), end: document.positionAt(hover.to) };
  return { contents: { kind: 'markdown', value: hover.text }, range };
}

/** Nothing where the scenario has errors: formatting must not guess. */
export function toFormatEdits(document: TextDocument, { embed, options }: FeatureContext): TextEdit[] {
  const text = document.getText();
  if (!looksLikeScenario(text)) return [];
  const whole = embed(text);
  const formatted = formatScenario(whole, options, () => {});
  const own = formatted === undefined || whole === text ? formatted : removeFiles(formatted);
  if (own === undefined || own === text) return [];
  return [{ range: { start: document.positionAt(0), end: document.positionAt(text.length) }, newText: own }];
}

const isWithin = (a: Range, b: Range): boolean => a.start.line <= b.end.line && a.end.line >= b.start.line;

export function toCodeActions(document: TextDocument, range: Range, context: FeatureContext): CodeAction[] {
  const text = document.getText();
  const diagnostics = toDiagnostics(document, context);
  return listProblems(document, context).flatMap(({ problem, range: own }, index) => {
    if (!isWithin(own, range)) return [];
    return findQuickFixes(text, problem).map(({ title, edit }): CodeAction => {
      const edits = [
        { range: { start: document.positionAt(edit.from), end: document.positionAt(edit.to) }, newText: edit.insert },
      ];
      const diagnostic = diagnostics[index];
      return {
        ...{ title, kind: CodeActionKind.QuickFix, isPreferred: true },
        ...(diagnostic ? { diagnostics: [diagnostic] } : {}),
        edit: { changes: { [document.uri]: edits } },
      };
    });
  });
}

/** Where a capture is, or the file of `use:`, `from:` and a multipart body. `resolveFile` gives the address of a file that exists. */
export function findDefinition(
  document: TextDocument,
  offset: number,
  resolveFile: (name: string) => string | undefined,
): Definition | undefined {
  const text = document.getText();
  const position = document.positionAt(offset);
  const line = document.getText({
    start: { line: position.line, character: 0 },
    end: { line: position.line + 1, character: 0 },
  });
  const file =
    /^\s*(?:use|from):\s*(\S.*?)\s*$/.exec(line)?.[1] ??
    /^\s*[^\s=][^=]*=\s*@([^@;\s][^;]*?)\s*(?:;|$)/.exec(line)?.[1];
  const uri = file === undefined ? undefined : resolveFile(file);
  if (uri !== undefined) return { uri, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };
  const name = Array.from(line.matchAll(/\$\{\s*(\w+)\s*\}/g)).find(
    ({ index, 0: whole }) => position.character >= index && position.character <= index + whole.length,
  )?.[1];
  const capture = name === undefined ? undefined : findCapture(text, name);
  if (!capture) return undefined;
  return {
    uri: document.uri,
    range: { start: document.positionAt(capture.start), end: document.positionAt(capture.end) },
  };
}
