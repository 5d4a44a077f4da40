/** The package names its declarations wrongly (`index.ts.d`). */
declare module 'unicode-confusables' {
  /** Replaces each character by its prototype of Unicode TS 39. */
  export function rectifyConfusion(text: string): string;
}
