/** What a tool says it does to the world, in words. */

type Annotations = Readonly<Record<string, unknown>> | null;

/** True when its server says that it may destroy something. */
export function mayDestroy(annotations: Annotations): boolean {
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint === true;
}

/** `only reads`, `may destroy`, `changes something`; empty where the server does not say. */
export function effectOf(annotations: Annotations): string {
  if (annotations?.readOnlyHint === true) return 'only reads';
  if (mayDestroy(annotations)) return 'may destroy';
  return annotations?.readOnlyHint === false ? 'changes something' : '';
}
