declare module '@usebruno/lang' {
  /** Throws where the text is none of a request. */
  export function bruToJsonV2(text: string): unknown;
  export function collectionBruToJson(text: string): unknown;
}
