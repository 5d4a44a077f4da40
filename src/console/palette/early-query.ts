/** Ctrl-K and what was typed after it before this script was loaded (page-start.ts). */
declare global {
  var vpEarlyKeys: { query: string | undefined; stop: () => void } | undefined;
}

/** What the palette is to be opened with, once; undefined if nobody asked for it. The keys are the console's from now on. */
export function takeEarlyQuery(): string | undefined {
  const query = globalThis.vpEarlyKeys?.query;
  globalThis.vpEarlyKeys?.stop();
  globalThis.vpEarlyKeys = undefined;
  return query;
}
