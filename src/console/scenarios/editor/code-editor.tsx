/** The editor for scenario texts. */
import { acceptCompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { lintKeymap } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { CompletionFacts } from '../../../scenario/completion.ts';
import type { Diagnostic } from '../../../scenario/diagnostic.ts';
import type { ScenarioEdit } from '../../../scenario/quick-fix.ts';
import { findQuickFixes } from '../../../scenario/quick-fixes.ts';
import { createCompletion, createProblemTransaction, problemLines, syntaxColours } from './scenario-extensions.ts';

export type CodeEditorHandle = {
  /** Selects the range and moves the focus there. */
  select(from: number, to: number): void;
  applyEdit(edit: ScenarioEdit): void;
};

type CodeEditorProps = {
  readonly ref?: Ref<CodeEditorHandle>;
  readonly label: string;
  /** The element that describes the state of the text. */
  readonly describedBy: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly facts: CompletionFacts;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
  readonly onRun: () => void;
};

/** Marks changes that come from outside, such as a discarded draft. */
const fromOutside = Annotation.define<true>();

function buildExtensions(latest: () => CodeEditorProps, readOnly: Extension): Extension {
  const call = (action: 'onSave' | 'onRun') => (): true => {
    latest()[action]();
    return true;
  };
  const { label, describedBy } = latest();
  return [
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    history(),
    syntaxColours,
    problemLines,
    createCompletion(() => latest().facts),
    Prec.highest(
      keymap.of([
        { key: 'Mod-s', run: call('onSave'), preventDefault: true },
        { key: 'Mod-Enter', run: call('onRun'), preventDefault: true },
        { key: 'Mod-.', run: (view) => applyFirstFix(view, latest().diagnostics) },
        { key: 'Tab', run: acceptCompletion },
        { key: 'Escape', run: letTabLeave },
      ]),
    ),
    keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    readOnly,
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-describedby': describedBy, spellcheck: 'false' }),
    EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (docChanged && !transactions.some((transaction) => transaction.annotation(fromOutside)))
        latest().onChange(state.doc.toString());
    }),
  ];
}

const tabLeavesForMs = 10_000;

/** The next Tab moves the focus instead of indenting, also when Escape closes a list. */
function letTabLeave(view: EditorView): boolean {
  view.setTabFocusMode(tabLeavesForMs);
  return false;
}

/** The first fix of a problem in the line of the cursor, otherwise of the first problem that has one. */
function applyFirstFix(view: EditorView, diagnostics: readonly Diagnostic[]): boolean {
  const { number } = view.state.doc.lineAt(view.state.selection.main.head);
  const ordered = diagnostics.toSorted(
    (a, b) => Math.abs(a.range.start.line - number) - Math.abs(b.range.start.line - number),
  );
  const text = view.state.doc.toString();
  const [fix] = ordered.flatMap((diagnostic) => findQuickFixes(text, diagnostic));
  if (fix) view.dispatch({ changes: fix.edit, userEvent: 'input.fix', scrollIntoView: true });
  return fix !== undefined;
}

export function CodeEditor(props: CodeEditorProps) {
  const { ref, text, diagnostics, readOnly } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  const readOnlyPart = useRef(new Compartment());
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const { text: doc, readOnly: isReadOnly } = latest.current;
    const readOnlyExtension = readOnlyPart.current.of(EditorState.readOnly.of(isReadOnly));
    const extensions = buildExtensions(() => latest.current, readOnlyExtension);
    const created = new EditorView({ doc, extensions, ...(parent.current ? { parent: parent.current } : {}) });
    view.current = created;
    return () => created.destroy();
  }, []);
  useEffect(() => {
    const { current } = view;
    if (!current || current.state.doc.toString() === text) return;
    const changes = { from: 0, to: current.state.doc.length, insert: text };
    current.dispatch({ changes, annotations: fromOutside.of(true) });
  }, [text]);
  useEffect(() => {
    if (view.current) view.current.dispatch(createProblemTransaction(view.current.state, diagnostics));
  }, [diagnostics]);
  useEffect(() => {
    view.current?.dispatch({ effects: readOnlyPart.current.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly]);
  useImperativeHandle(ref, () => ({
    select(from, to) {
      const limit = view.current?.state.doc.length ?? 0;
      const selection = { anchor: Math.min(from, limit), head: Math.min(Math.max(from, to), limit) };
      view.current?.focus();
      view.current?.dispatch({ selection, scrollIntoView: true });
    },
    applyEdit(edit) {
      view.current?.dispatch({ changes: edit, userEvent: 'input.fix', scrollIntoView: true });
      view.current?.focus();
    },
  }));
  return <div className="editor" ref={parent} />;
}
