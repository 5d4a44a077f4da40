/** A change of a scenario’s text that removes a diagnostic, and what its creators know. */
import type { Diagnostic } from './diagnostic.ts';
import type { Outline } from './outline.ts';
import type { SourceLine, SourceText } from './source.ts';

/** Replaces the text from `from` up to, not including, `to`. */
export type ScenarioEdit = { readonly from: number; readonly to: number; readonly insert: string };
export type QuickFix = { readonly title: string; readonly edit: ScenarioEdit };

export type FixContext = {
  readonly diagnostic: Diagnostic;
  readonly source: SourceText;
  /** The line of the diagnostic's start. */
  readonly line: SourceLine;
  readonly outline: Outline;
  /** The text in code marks that the cure proposes; undefined where it proposes none, or a shortened one. */
  readonly proposal: string | undefined;
};
export type CreateFix = (context: FixContext) => QuickFix | undefined;
