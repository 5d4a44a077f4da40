/**
 * Ink lays out with WebAssembly, which loads asynchronously: as it is imported when run from sources, but the packed
 * binary's one CommonJS file cannot wait at its top, so there it must be asked for. The build adds `ready`.
 */

/** To be awaited before ink, or any file that imports it, is imported. */
export async function inkReady(): Promise<void> {
  const engine: object = await import('yoga-layout');
  if ('ready' in engine && typeof engine.ready === 'function') await engine.ready();
}
