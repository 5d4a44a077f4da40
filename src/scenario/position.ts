/** A position in the text of a scenario: line and column count from 1, offset from 0; columns and offsets in UTF-16 units. */
export type Position = { readonly line: number; readonly column: number; readonly offset: number };

/** From `start` up to, not including, `end`. */
export type Range = { readonly start: Position; readonly end: Position };
