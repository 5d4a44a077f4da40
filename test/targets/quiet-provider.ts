/**
 * To be imported before oidc-provider where a test plays an outside provider with it: keeping what it knows in memory is
 * what such a test wants, and nobody needs to be warned of it, nor of a runtime newer than it knows. Anything else it says
 * is heard.
 */
const known = /^oidc-provider WARNING: (Unsupported runtime\b|a quick start development-only in-memory adapter\b)/;
const { warn } = console;

console.warn = (...words: readonly unknown[]): void => {
  if (!known.test(String(words[0]))) warn(...words);
};
