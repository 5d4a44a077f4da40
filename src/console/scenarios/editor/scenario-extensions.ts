/** What the editor knows of scenarios: colours, problems, completion. All of it comes from the parser's own modules. */
import { autocompletion, type CompletionContext, type CompletionResult, snippet } from '@codemirror/autocomplete';
import { setDiagnostics, type Diagnostic as UnderlinedDiagnostic } from '@codemirror/lint';
import {
  type EditorState,
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
  type Text,
  type TransactionSpec,
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { type CompletionFacts, type CompletionOption, completeScenario } from '../../../scenario/completion.ts';
import type { Diagnostic } from '../../../scenario/diagnostic.ts';
import { findQuickFixes } from '../../../scenario/quick-fixes.ts';
import { listTokens, type TokenKind, tokenKinds } from '../../../scenario/tokens.ts';

const tokenMarks = new Map<TokenKind, Decoration>(
  tokenKinds.map((kind) => [kind, Decoration.mark({ class: `token-${kind}` })]),
);

function buildTokenMarks({ doc }: EditorState): DecorationSet {
  const ranges = listTokens(doc.toString()).flatMap(({ from, to, kind }): Range<Decoration>[] => {
    const mark = tokenMarks.get(kind);
    return mark ? [mark.range(from, to)] : [];
  });
  return Decoration.set(ranges, true);
}

/** Syntax colours. Reading a usual scenario takes 0.1 ms, so that the whole text is read again after each change. */
export const syntaxColours: Extension = StateField.define<DecorationSet>({
  create: buildTokenMarks,
  update: (marks, { docChanged, state }) => (docChanged ? buildTokenMarks(state) : marks),
  provide: (field) => EditorView.decorations.from(field),
});

/** A problem at the end of its line. Screen readers get it from the list below the editor. */
class ProblemText extends WidgetType {
  readonly text: string;
  readonly severity: string;

  constructor({ message, severity }: Diagnostic) {
    super();
    this.text = message;
    this.severity = severity;
  }

  override eq(other: ProblemText): boolean {
    return other.text === this.text && other.severity === this.severity;
  }

  toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = `editor-message is-${this.severity}`;
    element.ariaHidden = 'true';
    element.textContent = this.text;
    return element;
  }
}

const showProblems = StateEffect.define<DecorationSet>();

/** Marks each line with a problem and shows the message behind it. */
export const problemLines: Extension = StateField.define<DecorationSet>({
  create: () => RangeSet.empty,
  update(problems, transaction) {
    const effect = transaction.effects.find((each) => each.is(showProblems));
    return effect ? effect.value : problems.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function buildProblemLines(doc: Text, diagnostics: readonly Diagnostic[]): DecorationSet {
  const byLine = Map.groupBy(diagnostics, ({ range }) => Math.min(range.start.line, doc.lines));
  const ranges = [...byLine].flatMap(([number, group]): Range<Decoration>[] => {
    const main = group.find(({ severity }) => severity === 'error') ?? group[0];
    if (!main) return [];
    const { from, to } = doc.line(number);
    const line = Decoration.line({
      class: `editor-line is-${main.severity}`,
      attributes: { 'data-line': String(number) },
    });
    return [line.range(from), Decoration.widget({ widget: new ProblemText(main), side: 1 }).range(to)];
  });
  return Decoration.set(ranges, true);
}

function toUnderlined(text: string, diagnostic: Diagnostic): UnderlinedDiagnostic {
  const { range, severity, message, cure, code } = diagnostic;
  const from = Math.min(range.start.offset, text.length);
  const to = Math.min(Math.max(range.end.offset, from), text.length);
  const actions = findQuickFixes(text, diagnostic).map(({ title, edit }) => ({
    name: title,
    apply: (view: EditorView) => view.dispatch({ changes: edit, userEvent: 'input.fix' }),
  }));
  return { from, to, severity, message: `${message}; ${cure}`, source: code, actions };
}

/** Shows `diagnostics` of the state's text in place of the earlier ones. */
export function createProblemTransaction(state: EditorState, diagnostics: readonly Diagnostic[]): TransactionSpec {
  const text = state.doc.toString();
  const underlined = diagnostics.map((diagnostic) => toUnderlined(text, diagnostic));
  const { effects = [] } = setDiagnostics(state, underlined);
  return { effects: [showProblems.of(buildProblemLines(state.doc, diagnostics)), effects].flat() };
}

/** `<name>` becomes a field to fill in; braces of the text are no fields. */
function toSnippet(insert: string): string {
  return insert.replaceAll(/[{}]/g, '\\$&').replaceAll(/<([^<>]+)>/g, '#{$1}');
}

function toCompletion({ label, insert, detail, kind }: CompletionOption) {
  return { label, info: detail, type: kind, apply: snippet(toSnippet(insert)) };
}

function complete({ state, pos, explicit }: CompletionContext, facts: CompletionFacts): CompletionResult | null {
  if (!explicit && state.doc.lineAt(pos).text.trim() === '') return null;
  const completion = completeScenario(state.doc.toString(), pos, facts);
  if (!completion) return null;
  return { from: completion.from, options: completion.options.map(toCompletion), filter: false };
}

/** Completion while typing and with Ctrl-Space. */
export function createCompletion(getFacts: () => CompletionFacts): Extension {
  return autocompletion({ override: [(context) => complete(context, getFacts())], icons: false });
}
